// billow-peer-onnx: writes a garment's networks and bases as an ONNX file, and the inputs and expected
// outputs of one frame, for onnxruntime.js. `billow bench` runs both.
//
//     billow-peer-onnx GARMENT.billow FOLDER      writes networks.onnx, and features, rotation, origin, vertices as float32
//
// ONNX is protobuf. These files need two wire types: varints and length-delimited bytes.
#include <exception>
#include <iostream>
#include <string_view>

#include "files/whole_file.h"
#include "research/peers/patch_tensors.h"

namespace billow::peers {
namespace {

// A protobuf message, written field by field. Comments below name the fields as onnx.proto does.
class Message {
 public:
  Message& number(int field, int64_t value) {
    varint(static_cast<uint64_t>(field) << 3);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& bytes(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2);
    varint(value.size());
    text_ += value;
    return *this;
  }
  Message& message(int field, const Message& inner) { return bytes(field, inner.text_); }
  const std::string& text() const { return text_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7) text_ += static_cast<char>(value | 128);
    text_ += static_cast<char>(value);
  }
  std::string text_;
};

constexpr int kFloat = 1, kInt64 = 7;  // TensorProto.DataType

template <class T> std::string_view raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), sizeof(T) * values.size()};
}

class Graph {
 public:
  // TensorProto: dims, data_type, name, raw_data.
  std::string constant(const std::string& name, const std::vector<int64_t>& shape, int type,
                       std::string_view values) {
    Message tensor;
    for (const int64_t n : shape) tensor.number(1, n);
    graph_.message(5, tensor.number(2, type).bytes(8, name).bytes(9, values));
    return name;
  }
  std::string constant(const std::string& name, const Tensor& t) {
    return constant(name, t.shape, kFloat, raw(t.values));
  }
  std::string constant(const std::string& name, const std::vector<int64_t>& list) {
    return constant(name, {static_cast<int64_t>(list.size())}, kInt64, raw(list));
  }
  // NodeProto: input, output, op_type, attribute. Returns the name of the output.
  std::string node(const char* op, const std::vector<std::string>& inputs,
                   const Message* attribute = nullptr) {
    const std::string out = "t" + std::to_string(next_++);
    Message node;
    for (const std::string& i : inputs) node.bytes(1, i);
    node.bytes(2, out).bytes(4, op);
    if (attribute != nullptr) node.message(5, *attribute);
    graph_.message(1, node);
    return out;
  }
  // ValueInfoProto of an input (field 11) or an output (field 12).
  void value(int field, const std::string& name, const std::vector<int64_t>& shape) {
    Message dims;
    for (const int64_t n : shape) dims.message(1, Message().number(1, n));
    const Message type = Message().message(1, Message().number(1, kFloat).message(2, dims));
    graph_.message(field, Message().bytes(1, name).message(2, type));
  }
  // ModelProto: ir_version, graph, opset_import.
  std::string file() {
    graph_.bytes(2, "garment");
    return Message().number(1, 9).message(7, graph_).message(8, Message().number(2, 20)).text();
  }

 private:
  Message graph_;
  int next_ = 0;
};

std::string onnx_of(const PatchTensors& t) {
  Graph g;
  g.value(11, "features", {t.patches, 1, t.inputs});
  g.value(11, "rotation", {t.patches, 3, 3});
  g.value(11, "origin", {t.patches, 1, 3});
  const auto affine = [&](const std::string& x, const std::string& name, const Tensor& weights,
                          const Tensor& bias) {
    return g.node("Add",
                  {g.node("MatMul", {x, g.constant(name, weights)}), g.constant(name + "_bias", bias)});
  };
  const std::string z =
      g.node("Mul", {g.node("Sub", {"features", g.constant("mean", t.mean)}), g.constant("scale", t.scale)});
  std::string c = affine(z, "linear", t.linear, t.bias), h = z;
  for (size_t k = 0; k < t.weights.size(); ++k) {
    h = affine(h, "layer_" + std::to_string(k), t.weights[k], t.biases[k]);
    if (k + 1 < t.weights.size()) h = g.node("Gelu", {h});
  }
  if (!t.weights.empty()) c = g.node("Add", {c, h});
  // AttributeProto: name, i or ints, type.
  const Message swap_axes = Message().bytes(1, "perm").number(8, 0).number(8, 2).number(8, 1).number(20, 7);
  const Message along_rows = Message().bytes(1, "axis").number(3, 1).number(20, 2);
  const std::string by_axis =
      g.node("Reshape", {c, g.constant("by_axis", {t.patches, 3, t.coefficients / 3})});
  const std::string rotated = g.node("MatMul", {g.node("Transpose", {by_axis}, &swap_axes), "rotation"});
  const std::string directions = g.node("Concat", {rotated, "origin", "rotation"}, &along_rows);
  const std::string placed = g.node("MatMul", {g.constant("basis", t.basis), directions});
  const std::string all = g.node("Reshape", {placed, g.constant("all_corners", {t.patches * t.corners, 3})});
  const std::string corners_of = g.constant("corners_of", {t.vertices, t.sharing}, kInt64, raw(t.corners_of));
  const Message no_keepdims = Message().bytes(1, "keepdims").number(3, 0).number(20, 2);
  g.value(12,
          g.node("ReduceSum", {g.node("Gather", {all, corners_of}), g.constant("over_patches", {1})},
                 &no_keepdims),
          {t.vertices, 3});
  return g.file();
}

void write(const std::filesystem::path& file, const std::filesystem::path& folder) {
  const learn::PatchModel model = read_patch_model(file);
  const PeerFrame frame = make_frame(model);
  files::write_whole_file(folder / "networks.onnx", onnx_of(make_tensors(model)));
  files::write_whole_file(folder / "features", std::string(raw(frame.features.values)));
  files::write_whole_file(folder / "rotation", std::string(raw(frame.rotation.values)));
  files::write_whole_file(folder / "origin", std::string(raw(frame.origin.values)));
  files::write_whole_file(folder / "vertices", std::string(raw(frame.vertices)));
}

}  // namespace
}  // namespace billow::peers

int main(int count, char** arguments) try {
  if (count != 3) {
    std::cerr << "usage: billow-peer-onnx GARMENT.billow FOLDER\n";
    return 2;
  }
  billow::peers::write(arguments[1], arguments[2]);
} catch (const std::exception& e) {
  std::cerr << "billow-peer-onnx: " << e.what() << "\n";
  return 1;
}
