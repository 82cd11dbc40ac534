import { useEffect, useId, useState, type FormEvent } from 'react';
import { useScope } from '../../../app/scope.tsx';
import { kinds } from '../../../data/kinds.ts';
import { useNamespacesFor } from '../../../data/list-places.ts';
import { CommandLine } from '../../../parts/command-line.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { YamlView } from '../../../parts/yaml-view.tsx';
import { commandFor } from '../../object/command-for.ts';
import { imageFrom, shellPod, type ShellWish } from './shell-pod.ts';
import { settingOf } from './shell-session.ts';

/** What somebody wrote; what is absent is as proposed. */
export interface FormValues {
  readonly namespace?: string;
  readonly image?: string;
}

interface ShellFormProps {
  readonly cluster: string;
  readonly podName: string;
  readonly values: FormValues;
  onChange(values: FormValues): void;
  onOpen(wish: ShellWish): void;
}

/** Says what will be made, where and of what, before it is made. */
export function ShellForm({ cluster, podName, values, onChange, onOpen }: ShellFormProps) {
  const scope = useScope();
  const listId = useId();
  const open = useNamespacesFor('create', kinds.pod, cluster);
  const usual = useShellImage();
  const namespace = values.namespace ?? (scope.namespace || usualNamespace(open));
  const image = values.image ?? usual ?? '';
  const wish = { name: podName, namespace: namespace.trim(), image: image.trim() };
  const isReady = wish.namespace !== '' && wish.image !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) onOpen(wish);
  };
  return (
    <form className="stack shell-form" onSubmit={submit}>
      <p>
        A shell in which <code>kubectl</code> works against <strong>{cluster}</strong> as you. The pod <code>{podName}</code> is made there
        with your own rights, and a token of yours that is good for this cluster alone is brought into its memory.
      </p>
      <p>
        Both are gone when you close the shell, leave this cluster or this page, or sign out; after four hours in any case. Whoever may run
        commands in pods of the namespace could use the token meanwhile.
      </p>
      <label className="field">
        <span className="label">Namespace</span>
        <input
          className="input"
          list={listId}
          value={namespace}
          spellCheck={false}
          autoComplete="off"
          onChange={event => onChange({ ...values, namespace: event.target.value })}
        />
      </label>
      <datalist id={listId}>
        {open?.map(one => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label className="field">
        <span className="label">Image</span>
        <input
          className="input"
          value={image}
          spellCheck={false}
          autoComplete="off"
          onChange={event => onChange({ ...values, image: event.target.value })}
        />
        <span className="hint">Any image with sh and kubectl. The setting shell-image of the hub proposes it.</span>
      </label>
      <PodDetails cluster={cluster} wish={wish} />
      <div className="stack tight">
        <span className="muted">Your own terminal needs no pod</span>
        <CommandLine command={commandFor(cluster, 'get namespaces')} />
      </div>
      <div className="row">
        <button type="submit" className="button main-deed" disabled={!isReady}>
          <Icon name="terminal" />
          Open the shell
        </button>
      </div>
    </form>
  );
}

function PodDetails({ cluster, wish }: { cluster: string; wish: ShellWish }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>The pod, and how to make it in a terminal</summary>
      {isOpen && (
        <div className="stack tight">
          <YamlView object={shellPod(wish)} name={`${wish.name}.yaml`} />
          <CommandLine command={commandFor(cluster, `create -f ${wish.name}.yaml`)} />
          <CommandLine command={commandFor(cluster, `exec -it ${wish.name} -- sh`, wish.namespace)} />
          <CommandLine command={commandFor(cluster, `delete pod ${wish.name}`, wish.namespace)} />
        </div>
      )}
    </details>
  );
}

/** As Kubernetes has it, for those who may; others begin where they may. */
function usualNamespace(open: readonly string[] | undefined): string {
  if (open === undefined || open.length === 0 || open.includes('default')) return 'default';
  return open[0]!;
}

/** What the hub proposes; undefined until it is known. */
function useShellImage(): string | undefined {
  const [image, setImage] = useState<string>();
  useEffect(() => {
    let isOver = false;
    void Promise.all([settingOf('shell-image'), settingOf('system-default-registry')]).then(
      ([found, registry]) => isOver || setImage(found && imageFrom(found, registry)),
    );
    return () => {
      isOver = true;
    };
  }, []);
  return image;
}
