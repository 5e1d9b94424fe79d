import { bytesField, bytesOf, type Field, readFields, textOf, textsOf, writeFields } from './protobuf.ts';

// The field numbers of onnx.proto.
const model = { graph: 7 };
const graph = { node: 1, name: 2, initializer: 5, input: 11, output: 12 };
const node = { input: 1, output: 2, name: 3, operation: 4, attribute: 5 };
const attribute = { name: 1, graph: 6, integer: 3, type: 20 };
const valueName = 1;
const tensorName = 8;

const integerAttribute = 2n;
const floatTensor = 1n;
const lastAxis = 2n;
const projection = '/proj_out/MatMul';

export interface DecoderGraphs {
  /** Takes the first tokens and what was heard; gives the memory for the next ones. */
  first: Uint8Array;
  /** Takes one more token and the memory. */
  next: Uint8Array;
}

/**
 * Moonshine's decoder comes as one model with an `If` over both of its ways. Inside an `If` the runtime
 * neither folds constants nor packs weights, so each token turned the 9 million weights of the vocabulary
 * to floats again: 15 ms a token. Each way as a model of its own, with the vocabulary multiplied in whole
 * numbers like all other weights, takes a quarter of that.
 */
export function splitDecoder(merged: Uint8Array): DecoderGraphs {
  const modelFields = readFields(merged);
  const outer = readFields(only(bytesOf(modelFields, model.graph), 'graph'));
  const choice = bytesOf(outer, graph.node)
    .map(readFields)
    .find((fields) => textOf(fields, node.operation) === 'If');
  if (!choice) throw new Error('The decoder has no If');
  const branch = (name: string) => {
    const found = bytesOf(choice, node.attribute)
      .map(readFields)
      .find((fields) => textOf(fields, attribute.name) === name);
    if (!found) throw new Error(`The decoder has no ${name}`);
    return readFields(only(bytesOf(found, attribute.graph), name));
  };
  const standAlone = (inner: Field[], isOutputWanted: (name: string) => boolean) =>
    writeFields([
      ...modelFields.filter((field) => field.number !== model.graph),
      bytesField(model.graph, writeFields(standAloneGraph(outer, inner, isOutputWanted))),
    ]);
  return {
    first: standAlone(branch('else_branch'), () => true),
    next: standAlone(branch('then_branch'), (name) => !name.includes('.encoder.')),
  };
}

function standAloneGraph(outer: Field[], inner: Field[], isOutputWanted: (name: string) => boolean): Field[] {
  const nodes = bytesOf(inner, graph.node).flatMap(inWholeNumbers);
  const used = new Set(nodes.flatMap((bytes) => textsOf(readFields(bytes), node.input)));
  const named = (fields: Field[], number: number, nameField: number, isWanted: (name: string) => boolean) =>
    bytesOf(fields, number)
      .filter((bytes) => isWanted(textOf(readFields(bytes), nameField)))
      .map((bytes) => bytesField(number, bytes));
  const isUsed = (name: string) => used.has(name);
  return [
    ...nodes.map((bytes) => bytesField(graph.node, bytes)),
    bytesField(graph.name, textOf(inner, graph.name)),
    ...named(outer, graph.initializer, tensorName, isUsed),
    ...named(inner, graph.initializer, tensorName, isUsed),
    ...named(outer, graph.input, valueName, isUsed),
    ...named(inner, graph.output, valueName, isOutputWanted),
  ];
}

/**
 * The projection to the vocabulary, `float × dequantised weights`, as the whole-number product it could be.
 * What comes out are logarithms of probabilities: to make them in JavaScript took as long as the product.
 */
function inWholeNumbers(bytes: Uint8Array): Uint8Array[] {
  const fields = readFields(bytes);
  if (textOf(fields, node.name) !== projection) return [bytes];
  const [state = '', weights = ''] = textsOf(fields, node.input);
  const table = weights.replace(/_transposed$/, '');
  const [scale, zeroPoint] = [`${table}_merged_0_scale`, `${table}_merged_0_zero_point`];
  const own = (name: string) => `${projection}/${name}`;
  return [
    operation('DynamicQuantizeLinear', [state], [own('state'), own('state_scale'), own('state_zero')]),
    operation('MatMulInteger', [own('state'), `${weights}_quantized`, own('state_zero'), zeroPoint], [own('product')]),
    operation('Cast', [own('product')], [own('float')], [integer('to', floatTensor)]),
    operation('Mul', [own('state_scale'), scale], [own('scale')]),
    operation('Mul', [own('float'), own('scale')], [own('logits')]),
    operation('LogSoftmax', [own('logits')], textsOf(fields, node.output), [integer('axis', lastAxis)]),
  ];
}

function operation(name: string, inputs: string[], outputs: string[], attributes: Uint8Array[] = []): Uint8Array {
  return writeFields([
    ...inputs.map((input) => bytesField(node.input, input)),
    ...outputs.map((output) => bytesField(node.output, output)),
    bytesField(node.operation, name),
    ...attributes.map((bytes) => bytesField(node.attribute, bytes)),
  ]);
}

function integer(name: string, value: bigint): Uint8Array {
  return writeFields([
    bytesField(attribute.name, name),
    { number: attribute.integer, wire: 0, value },
    { number: attribute.type, wire: 0, value: integerAttribute },
  ]);
}

function only<T>(values: T[], name: string): T {
  const [first] = values;
  if (first === undefined) throw new Error(`The model has no ${name}`);
  return first;
}
