import type { PodSpec } from '../../api/kubernetes.ts';
import { envelopePrefix, ProtobufError, wire, WireReader } from '../../util/protobuf-wire.ts';

/** As much of a page of pods as it takes to add them up. */
export interface PodPage {
  readonly specs: readonly PodSpec[];
  /** Of the next page; empty when this is the last. */
  readonly token: string;
}

type Readers<T> = Readonly<Record<number, (reader: WireReader, into: T) => void>>;

/**
 * Reads a PodList in the protobuf of Kubernetes. Most of a pod is who wrote what, and how it is: all of that is stepped over without being looked at.
 * The numbers are those of k8s.io/api/core/v1/generated.proto.
 */
export function readPodPage(bytes: Buffer): PodPage {
  if (!bytes.subarray(0, envelopePrefix.length).equals(envelopePrefix)) throw new ProtobufError('not an object of Kubernetes');
  const page = { specs: [] as PodSpec[], token: '' };
  read(new WireReader(bytes, envelopePrefix.length), envelope, page);
  return page;
}

interface Page {
  specs: PodSpec[];
  token: string;
}
interface Spec {
  nodeName?: string;
  containers: Container[];
  initContainers: Container[];
  overhead?: Amounts;
  resources?: Resources;
}
interface Container {
  name: string;
  restartPolicy?: string;
  resources?: Resources;
}
interface Resources {
  limits: Amounts;
  requests: Amounts;
}
type Amounts = Record<string, string>;

const entry: Readers<{ key: string; value: string }> = {
  1: (reader, into) => void (into.key = reader.text()),
  2: (reader, into) => read(reader.message(), { 1: inner => void (into.value = inner.text()) }, into),
};
const amountInto = (reader: WireReader, into: Amounts): void => {
  const { key, value } = read(reader.message(), entry, { key: '', value: '0' });
  into[key] = value;
};
const resources: Readers<Resources> = {
  1: (reader, into) => amountInto(reader, into.limits),
  2: (reader, into) => amountInto(reader, into.requests),
};
const resourcesOf = (reader: WireReader): Resources => read(reader.message(), resources, { limits: {}, requests: {} });
const container: Readers<Container> = {
  8: (reader, into) => void (into.resources = resourcesOf(reader)),
  24: (reader, into) => void (into.restartPolicy = reader.text()),
};
const containerOf = (reader: WireReader): Container => read(reader.message(), container, { name: '' });
const spec: Readers<Spec> = {
  2: (reader, into) => void into.containers.push(containerOf(reader)),
  10: (reader, into) => void (into.nodeName = reader.text()),
  20: (reader, into) => void into.initContainers.push(containerOf(reader)),
  32: (reader, into) => amountInto(reader, (into.overhead ??= {})),
  40: (reader, into) => void (into.resources = resourcesOf(reader)),
};
const pod: Readers<Page> = {
  2: (reader, into) => void into.specs.push(read(reader.message(), spec, { containers: [], initContainers: [] })),
};
const listMeta: Readers<Page> = { 3: (reader, into) => void (into.token = reader.text()) };
const list: Readers<Page> = {
  1: (reader, into) => void read(reader.message(), listMeta, into),
  2: (reader, into) => void read(reader.message(), pod, into),
};
const envelope: Readers<Page> = { 2: (reader, into) => void read(reader.message(), list, into) };

/** Every field that is wanted here is one of text or a message. */
function read<T>(reader: WireReader, fields: Readers<T>, into: T): T {
  while (!reader.isAtEnd) {
    const tag = reader.tag();
    const field = (tag & 7) === wire.bytes ? fields[tag >>> 3] : undefined;
    if (field) field(reader, into);
    else reader.skip(tag & 7);
  }
  return into;
}
