import { useRef, useState } from 'react';
import { hub, pathOf, type KubeObject } from '../../data/kinds.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Field } from './field.tsx';
import { isAborted, sendFile } from './send-file.ts';

interface AddImageProps {
  readonly cluster: string;
  readonly namespaces: readonly string[];
  projectOf(namespace: string): string;
  onClose(): void;
}

type Way = 'download' | 'upload';

/** Who keeps images writes whole sectors, and refuses all else once it has come. */
const sectorBytes = 512;
/** What the form that carries a file calls it, by who keeps the image. */
const fieldOf: Readonly<Record<string, string>> = { cdi: 'file', backingimage: 'chunk' };

/** Adds an image: the cluster fetches it, or it comes from here. */
export function AddImage({ cluster, namespaces, projectOf, onClose }: AddImageProps) {
  const [way, setWay] = useState<Way>('download');
  const [name, setName] = useState('');
  const [namespace, setNamespace] = useState(namespaces[0] ?? '');
  const [url, setUrl] = useState('');
  const [checksum, setChecksum] = useState('');
  const [description, setDescription] = useState('');
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState<number>();
  const stop = useRef(new AbortController());
  const displayName = name || nameIn(way === 'download' ? url : (file?.name ?? ''));
  const isUrl = /^https?:\/\/[^\s/]+\/\S*$/.test(url);
  const isWhole = file === undefined || (file.size > 0 && file.size % sectorBytes === 0);
  const isReady = namespace !== '' && displayName !== '' && (way === 'download' ? isUrl : file !== undefined && isWhole);

  const image = {
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'VirtualMachineImage',
    metadata: {
      generateName: 'image-',
      namespace,
      labels: { 'harvesterhci.io/imageDisplayName': labelOf(displayName) },
      ...(way === 'upload' && file && { annotations: { 'harvesterhci.io/image-name': file.name } }),
    },
    spec: {
      displayName,
      sourceType: way,
      ...(way === 'download' && { url }),
      ...(checksum !== '' && { checksum: checksum.trim() }),
      ...(description !== '' && { description }),
    },
  };

  async function add(): Promise<void> {
    const path = pathOf(machineKinds.image, { cluster, namespace });
    const post = (query: string) => request<KubeObject>(`${path}?${query}`, { method: 'POST', body: image });
    await post('dryRun=All&fieldValidation=Strict&fieldManager=drover-page');
    const made = await post('fieldValidation=Strict&fieldManager=drover-page');
    if (way === 'download') return;
    try {
      await sendTo(made);
    } catch (error) {
      // What never came is not left behind.
      await request(pathOf(machineKinds.image, { cluster, ...made.metadata }), { method: 'DELETE' }).catch(() => {});
      setSent(undefined);
      if (isAborted(error)) return;
      throw error;
    }
  }

  async function sendTo({ metadata, ...made }: KubeObject): Promise<void> {
    const place = [metadata.namespace ?? '', metadata.name ?? ''].map(encodeURIComponent).join('/');
    const at = `/k8s/clusters/${encodeURIComponent(cluster || hub)}/v1/harvester/harvesterhci.io.virtualmachineimages/${place}`;
    const { actions = {} } = await request<{ actions?: Readonly<Record<string, string>> }>(at);
    if (!Object.hasOwn(actions, 'upload'))
      throw new Error(
        `${cluster} takes no files: the hub reaches its Kubernetes API alone, and files go to the API of Harvester itself. Give an address to fetch the image from.`,
      );
    setSent(0);
    const { backend = '' } = made['spec'] as { backend?: string };
    const field = fieldOf[backend] ?? 'chunk';
    await sendFile(`${at}?action=upload&size=${file!.size}`, file!, { field, onSent: setSent, signal: stop.current.signal });
  }

  function close(): void {
    stop.current.abort();
    onClose();
  }

  return (
    <ActionDialog
      title={`Add an image on ${cluster}`}
      verb={way === 'download' ? 'Add' : 'Upload'}
      isReady={isReady}
      command={commandFor(cluster, image)}
      onDo={add}
      onClose={close}
    >
      <fieldset className="row">
        <legend className="label">Where it comes from</legend>
        <label className="row">
          <input type="radio" name="way" checked={way === 'download'} onChange={() => setWay('download')} />
          An address
        </label>
        <label className="row">
          <input type="radio" name="way" checked={way === 'upload'} onChange={() => setWay('upload')} />A file of yours
        </label>
      </fieldset>
      {way === 'download' ? (
        <Field
          label="URL"
          hint="qcow2, raw or ISO. The cluster fetches it, not your browser."
          fault={url === '' || isUrl ? undefined : 'An address that begins with http:// or https://.'}
        >
          {props => (
            <input
              {...props}
              type="url"
              data-first
              spellCheck={false}
              autoComplete="off"
              placeholder="https://…/noble-server-cloudimg-amd64.img"
              value={url}
              onChange={event => setUrl(event.target.value)}
            />
          )}
        </Field>
      ) : (
        <Field
          label="File"
          hint="qcow2, raw or ISO. Keep this open until all of it has been sent."
          fault={
            isWhole ? undefined : `Its size is no multiple of ${sectorBytes} bytes, so it is not the image of a disk, or not all of one.`
          }
        >
          {props => (
            <input
              {...props}
              type="file"
              accept=".qcow2,.img,.raw,.iso,.gz,.xz,application/octet-stream"
              onChange={event => setFile(event.target.files?.[0])}
            />
          )}
        </Field>
      )}
      <div className="form-grid">
        <Field label="Name">
          {props => (
            <input
              {...props}
              placeholder={displayName || 'As people will call it'}
              value={name}
              onChange={event => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Namespace" hint={projectOf(namespace) && `Project ${projectOf(namespace)}`}>
          {props => (
            <select {...props} value={namespace} onChange={event => setNamespace(event.target.value)}>
              {namespaces.map(one => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field label="Checksum, if it is to be compared" hint="SHA-512, in hexadecimal digits.">
        {props => (
          <input
            {...props}
            className="input mono"
            spellCheck={false}
            autoComplete="off"
            value={checksum}
            onChange={event => setChecksum(event.target.value)}
          />
        )}
      </Field>
      <Field label="Description">
        {props => <input {...props} value={description} onChange={event => setDescription(event.target.value)} />}
      </Field>
      {sent !== undefined && file && (
        <div className="stack tight">
          <progress className="progress" max={file.size} value={sent} aria-label={`Sent of ${file.name}`} />
          <span className="muted" role="status">
            {Math.floor((100 * sent) / file.size)} % of {file.name} has been sent
          </span>
        </div>
      )}
    </ActionDialog>
  );
}

/** `noble.img` of `https://…/noble.img?x`. */
const nameIn = (place: string): string =>
  place
    .split(/[?#]/, 1)[0]!
    .split('/')
    .slice(place.includes('://') ? 3 : 0)
    .at(-1) ?? '';

/** As much of it as a label can hold. */
const labelOf = (text: string): string =>
  text
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/gi, '');

const commandFor = (cluster: string, image: object): string =>
  `drover kubectl ${cluster} -- create -f - <<'END'\n${JSON.stringify(image)}\nEND`;
