#error "this one is not to be read"
