import { useMemo, useState, type FormEvent, type ReactNode } from 'react';
import { go } from '../../app/place.tsx';
import { kinds, pathOf, type KubeObject } from '../../data/kinds.ts';
import { usePlaces } from '../../data/list-places.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { request } from '../../data/request.ts';
import { useList, useLists } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { YamlView } from '../../parts/yaml-view.tsx';
import { Field } from './field.tsx';
import type { Image, KeyPair, Volume } from './machine-parts.tsx';
import { machinePlace } from './machine-place.ts';
import { faultsOf, objectsFor, type MachineWish } from './machine-wish.ts';

interface CreateMachineProps {
  readonly cluster: string;
  /** In which machines may be made, the one to begin with first. */
  readonly namespaces: readonly string[];
  projectOf(namespace: string): string;
  onClose(): void;
}

type Objects = ReturnType<typeof objectsFor>;

/** Makes a machine: what it should be, then what the server would make of it, then it. */
export function CreateMachine({ cluster, namespaces, projectOf, onClose }: CreateMachineProps) {
  const [wish, setWish] = useState<MachineWish>(() => firstWish(namespaces[0] ?? ''));
  const [wasTried, setTried] = useState(false);
  const [review, setReview] = useState<{ readonly objects: Objects; readonly machine: KubeObject }>();
  const { error, isBusy, attempt } = useAttempt();
  const faults = faultsOf(wish);

  function preview(event: FormEvent): void {
    event.preventDefault();
    setTried(true);
    if (Object.keys(faults).length > 0) return;
    const objects = objectsFor(wish, Math.random().toString(36).slice(2, 7).padEnd(5, '0'));
    void attempt(async () => {
      if (objects.secret) await create(cluster, objects.secret, true);
      const machine = await create(cluster, objects.machine, true);
      delete machine.metadata.managedFields;
      setReview({ objects, machine });
    });
  }

  const make = () =>
    attempt(async () => {
      const made = await createBoth(cluster, review!.objects);
      onClose();
      go(machinePlace(cluster, made.metadata));
    });

  return (
    <Dialog title={review ? `Create ${wish.name} on ${cluster}?` : `Create a virtual machine on ${cluster}`} isWide onClose={onClose}>
      {review ? (
        <>
          <p className="muted">
            The server has tried it and would make this of it.
            {review.objects.secret && ` What cloud-init gets is not shown: it goes into the Secret ${review.objects.secret.metadata.name}.`}
          </p>
          <YamlView object={review.machine} name={`VirtualMachine ${wish.name}`} />
          <CommandLine command={`drover kubectl ${cluster} -- create -f ${wish.name}.yaml`} />
          {error !== undefined && <ErrorNote error={error} />}
          <div className="dialog-end">
            <button type="button" className="button" onClick={() => setReview(undefined)}>
              Back
            </button>
            <button type="button" className="button main-deed" disabled={isBusy} data-first onClick={() => void make()}>
              Create
            </button>
          </div>
        </>
      ) : (
        <form className="stack" onSubmit={preview} noValidate>
          <Fields
            {...{ cluster, namespaces, projectOf, wish }}
            faults={wasTried ? faults : {}}
            change={changes => setWish(before => ({ ...before, ...changes }))}
          />
          {error !== undefined && <ErrorNote error={error} />}
          <div className="dialog-end">
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
            <button type="submit" className="button main-deed" disabled={isBusy}>
              Review
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

const firstWish = (namespace: string): MachineWish => ({
  name: '',
  namespace,
  description: '',
  cores: 2,
  memoryGi: 4,
  disk: { from: 'image', image: undefined, sizeGi: 20 },
  network: '',
  keys: [],
  userData: '',
  isStarted: true,
});

function useAttempt() {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  async function attempt(work: () => Promise<void>): Promise<void> {
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  }
  return { error, isBusy, attempt };
}

function create(cluster: string, object: KubeObject, isTrial: boolean): Promise<KubeObject> {
  const kind = object.kind === 'Secret' ? kinds.secret : machineKinds.machine;
  const query = new URLSearchParams({ fieldManager: 'drover-page', fieldValidation: 'Strict', ...(isTrial && { dryRun: 'All' }) });
  const path = pathOf(kind, { cluster, namespace: object.metadata.namespace });
  return request<KubeObject>(`${path}?${query.toString()}`, { method: 'POST', body: object });
}

/** The Secret comes first, because the machine needs it, and leaves with the machine, or at once when that cannot be made. */
async function createBoth(cluster: string, { machine, secret }: Objects): Promise<KubeObject> {
  if (!secret) return create(cluster, machine, false);
  const path = pathOf(kinds.secret, { cluster, namespace: secret.metadata.namespace, name: secret.metadata.name });
  await create(cluster, secret, false);
  try {
    const made = await create(cluster, machine, false);
    const { apiVersion, kind } = machine;
    const owner = { apiVersion, kind, name: made.metadata.name, uid: made.metadata.uid };
    const body = { metadata: { ownerReferences: [owner] } };
    await request(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body });
    return made;
  } catch (error) {
    await request(path, { method: 'DELETE' }).catch(() => {});
    throw error;
  }
}

interface FieldsProps extends Omit<CreateMachineProps, 'onClose'> {
  readonly wish: MachineWish;
  readonly faults: Readonly<Record<string, string>>;
  change(changes: Partial<MachineWish>): void;
}

function Fields({ cluster, namespaces, projectOf, wish, faults, change }: FieldsProps) {
  const networks = useThings(cluster, 'network');
  const keys = useThings<KeyPair>(cluster, 'keyPair');
  const number = (text: string) => (text === '' ? Number.NaN : Number(text));
  const shown = (value: number) => (Number.isNaN(value) ? '' : value);
  return (
    <>
      <div className="form-grid">
        <Field label="Name" fault={faults['name']}>
          {props => (
            <input
              {...props}
              data-first
              spellCheck={false}
              autoComplete="off"
              value={wish.name}
              onChange={event => change({ name: event.target.value })}
            />
          )}
        </Field>
        <Field label="Namespace" fault={faults['namespace']} hint={projectOf(wish.namespace) && `Project ${projectOf(wish.namespace)}`}>
          {props => (
            <select {...props} value={wish.namespace} onChange={event => change({ namespace: event.target.value })}>
              {namespaces.map(name => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="CPU cores" fault={faults['cores']}>
          {props => (
            <input
              {...props}
              type="number"
              min={1}
              step={1}
              value={shown(wish.cores)}
              onChange={event => change({ cores: number(event.target.value) })}
            />
          )}
        </Field>
        <Field label="Memory, GiB" fault={faults['memory']}>
          {props => (
            <input
              {...props}
              type="number"
              min={0.5}
              step={0.5}
              value={shown(wish.memoryGi)}
              onChange={event => change({ memoryGi: number(event.target.value) })}
            />
          )}
        </Field>
      </div>
      <Disk {...{ cluster, wish, change }} fault={faults['disk']} />
      <Field label="Network">
        {props => (
          <select {...props} value={wish.network} onChange={event => change({ network: event.target.value })}>
            <option value="">Of the cluster itself (behind the address of the node)</option>
            {networks.map(one => (
              <option key={idOf(one)}>{idOf(one)}</option>
            ))}
          </select>
        )}
      </Field>
      <fieldset className="stack tight">
        <legend className="label">SSH keys</legend>
        {keys.length === 0 && <p className="muted">There are none in namespaces that you see. The part SSH keys lists them.</p>}
        {keys.map(one => (
          <label key={idOf(one)} className="row">
            <input
              type="checkbox"
              checked={wish.keys.some(({ id }) => id === idOf(one))}
              onChange={event => {
                const others = wish.keys.filter(({ id }) => id !== idOf(one));
                const key = { id: idOf(one), publicKey: one.spec?.publicKey ?? '' };
                change({ keys: event.target.checked ? [...others, key] : others });
              }}
            />
            {idOf(one)}
          </label>
        ))}
      </fieldset>
      <Field label="User data for cloud-init" fault={faults['userData']} hint="Kept in a Secret. Chosen keys are added to it.">
        {props => (
          <textarea
            {...props}
            className="input mono"
            rows={5}
            spellCheck={false}
            placeholder={'#cloud-config\npackages: [qemu-guest-agent]'}
            value={wish.userData}
            onChange={event => change({ userData: event.target.value })}
          />
        )}
      </Field>
      <Field label="Description">
        {props => <input {...props} value={wish.description} onChange={event => change({ description: event.target.value })} />}
      </Field>
      <label className="row">
        <input type="checkbox" checked={wish.isStarted} onChange={event => change({ isStarted: event.target.checked })} />
        Start it at once
      </label>
    </>
  );
}

function Disk({ cluster, wish, fault, change }: Pick<FieldsProps, 'cluster' | 'wish' | 'change'> & { fault: string | undefined }) {
  const images = useThings<Image>(cluster, 'image');
  const volumes = useList<Volume>({ cluster, kind: machineKinds.volume, namespace: wish.namespace });
  const { disk } = wish;
  const size = disk.from === 'image' ? disk.sizeGi : Number.NaN;
  const way = (title: string, isChosen: boolean, onChoose: () => void): ReactNode => (
    <label className="row">
      <input type="radio" name="disk" checked={isChosen} onChange={onChoose} />
      {title}
    </label>
  );
  return (
    <fieldset className="stack tight">
      <legend className="label">Disk</legend>
      <div className="row">
        {way('From an image', disk.from === 'image', () => change({ disk: { from: 'image', image: undefined, sizeGi: 20 } }))}
        {way('A volume that is there', disk.from === 'volume', () => change({ disk: { from: 'volume', claim: '' } }))}
      </div>
      {disk.from === 'image' ? (
        <div className="form-grid">
          <Field label="Image" fault={fault}>
            {props => (
              <select
                {...props}
                value={disk.image?.id ?? ''}
                onChange={event => change({ disk: { ...disk, image: wishedImage(images.find(one => idOf(one) === event.target.value)) } })}
              >
                <option value="">{images.length === 0 ? 'There is none yet' : 'Choose'}</option>
                {images.map(one => (
                  <option key={idOf(one)} value={idOf(one)}>
                    {one.spec?.displayName ?? one.metadata.name} ({one.metadata.namespace})
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Size, GiB">
            {props => (
              <input
                {...props}
                type="number"
                min={1}
                value={Number.isNaN(size) ? '' : size}
                onChange={event =>
                  change({ disk: { ...disk, sizeGi: event.target.value === '' ? Number.NaN : Number(event.target.value) } })
                }
              />
            )}
          </Field>
        </div>
      ) : (
        <Field label="Volume" fault={fault} hint={`Of namespace ${wish.namespace}. A volume is for one machine.`}>
          {props => (
            <select {...props} value={disk.claim} onChange={event => change({ disk: { from: 'volume', claim: event.target.value } })}>
              <option value="">{volumes.items.length === 0 ? 'There is none here' : 'Choose'}</option>
              {volumes.items.map(one => (
                <option key={one.metadata.name}>{one.metadata.name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
    </fieldset>
  );
}

const idOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

const wishedImage = (image: Image | undefined) =>
  image && { id: idOf(image), storageClass: image.status?.storageClassName, virtualBytes: image.status?.virtualSize };

/** Things of a kind in all namespaces that can be seen. */
function useThings<T extends KubeObject = KubeObject>(cluster: string, kind: keyof typeof machineKinds): readonly T[] {
  const clusters = useMemo(() => [cluster], [cluster]);
  const places = usePlaces(machineKinds[kind], clusters, '');
  const lists = useLists<T>((places ?? []).map(place => ({ ...place, kind: machineKinds[kind] })));
  return useMemo(() => lists.flatMap(one => one.items).toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1)), [lists]);
}
