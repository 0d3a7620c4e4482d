// cub::KeyValuePair: what ArgMin and ArgMax give, and a pair for one's own reductions.
// Source: CUB 3 (CUDA 13.0), cub/util_type.cuh, for the members.
#pragma once

namespace cub {

template <class Key_, class Value_>
struct KeyValuePair {
    using Key = Key_;
    using Value = Value_;
    Key key;
    Value value;

    KeyValuePair() = default;
    KeyValuePair(const Key& key, const Value& value) : key(key), value(value) {}
    bool operator!=(const KeyValuePair& other) const { return value != other.value || key != other.key; }
};

}  // namespace cub
