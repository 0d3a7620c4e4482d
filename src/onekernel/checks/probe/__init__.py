"""Kind "probe": predictions about torch's tensors, which stand in the learner's file, and experiments on them."""

from onekernel.course import IN_FILE, Kind

KIND = Kind(__name__, {}, on_gpu=True, predicts=IN_FILE)
