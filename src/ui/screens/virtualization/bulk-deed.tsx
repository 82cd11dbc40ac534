import { useEffect, useState } from 'react';
import { request } from '../../data/request.ts';
import { TypedWord } from '../../parts/action-dialog.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { actionsOf, commandFor, pathOfMachine, type Deed } from './machine-deeds.ts';
import type { MachineRow } from './machines.tsx';

/** How far one of several machines has come. */
type Progress =
  { readonly step: 'asking' | 'waits' | 'under way' | 'done' } | { readonly step: 'left out' | 'failed'; readonly why: string };

const shownCommands = 4;
const atOnce = 6;

/** Does the same to several machines. Each is asked and answered for itself: what one refuses changes nothing for the others. */
export function BulkDeed({ rows, deed, onClose }: { rows: readonly MachineRow[]; deed: Deed; onClose(): void }) {
  // Those that were chosen when it began: the list behind changes meanwhile.
  const [chosen] = useState(rows);
  const [progress, setProgress] = useState<readonly Progress[]>(() => chosen.map(() => ({ step: 'asking' })));
  const [hasBegun, setBegun] = useState(false);
  const [typed, setTyped] = useState('');
  // As everywhere where something ends on more than one cluster.
  const word = deed.isDanger && new Set(chosen.map(one => one.cluster)).size > 1 ? deed.title : undefined;
  const tell = (i: number, next: Progress) => setProgress(before => before.map((one, j) => (i === j ? next : one)));
  const count = (...steps: Progress['step'][]) => progress.filter(one => steps.includes(one.step)).length;
  const ready = count('waits');
  const isBusy = count('asking', 'under way') > 0 || (hasBegun && ready > 0);

  useEffect(() => {
    void forEach(chosen, async (row, i) => tell(i, await offerOf(row, deed)));
  }, [chosen, deed]);

  async function act(): Promise<void> {
    setBegun(true);
    await forEach(chosen, async (row, i) => {
      if (progress[i]?.step !== 'waits') return;
      tell(i, { step: 'under way' });
      tell(i, await done(row, deed));
    });
  }

  return (
    <Dialog
      title={`${deed.title} ${chosen.length === 1 ? 'one virtual machine' : `${chosen.length} virtual machines`}`}
      isWide
      onClose={onClose}
    >
      <p>{deed.about}</p>
      <SmallTable
        name="What becomes of each"
        heads={['Machine', 'Cluster', 'Namespace', 'State', 'What becomes of it']}
        rows={chosen.map(({ cluster, vm, state }, i) => [
          <bdi key="name">{vm.metadata.name}</bdi>,
          cluster,
          vm.metadata.namespace,
          state.word,
          <Told key="told" progress={progress[i]!} deed={deed} />,
        ])}
      />
      <p role="status">
        {hasBegun
          ? `${count('done')} done, ${count('failed')} failed, ${count('left out')} left out${isBusy ? ', the others are under way' : ''}.`
          : `${ready} of ${chosen.length} can do it now.`}
      </p>
      {!hasBegun && ready > 0 && (
        <div className="stack tight">
          <span className="muted">The same in a terminal</span>
          <CommandLine
            command={commandsFor(
              chosen.filter((_row, i) => progress[i]?.step === 'waits'),
              deed,
            )}
          />
        </div>
      )}
      {!hasBegun && word !== undefined && <TypedWord word={word} text={typed} onChange={setTyped} />}
      <div className="dialog-end">
        <button type="button" className="button" onClick={onClose} data-first>
          {hasBegun ? 'Close' : 'Cancel'}
        </button>
        {!hasBegun && (
          <button
            type="button"
            className={`button ${deed.isDanger ? 'danger' : 'main-deed'}`}
            disabled={isBusy || ready === 0 || (word !== undefined && typed !== word)}
            onClick={() => void act()}
          >
            {deed.title} {ready}
          </button>
        )}
      </div>
    </Dialog>
  );
}

const looks: Readonly<Record<Progress['step'], { readonly tone: Tone; readonly word: string; readonly isBusy?: boolean }>> = {
  asking: { tone: 'info', word: 'Asking', isBusy: true },
  waits: { tone: 'idle', word: 'Ready' },
  'under way': { tone: 'info', word: 'Under way', isBusy: true },
  done: { tone: 'good', word: 'Done' },
  'left out': { tone: 'idle', word: 'Left out' },
  failed: { tone: 'bad', word: 'Failed' },
};

function Told({ progress, deed }: { progress: Progress; deed: Deed }) {
  return (
    <span className="row">
      <StateBadge {...looks[progress.step]} />
      {progress.step === 'waits' && deed.title}
      {'why' in progress && progress.why}
    </span>
  );
}

async function offerOf(row: MachineRow, { action, title }: Deed): Promise<Progress> {
  try {
    if (Object.hasOwn(await actionsOf(row), action)) return { step: 'waits' };
    return { step: 'left out', why: `${title} is not on offer: it is ${row.state.word.toLowerCase()}, or you may not` };
  } catch (error) {
    return { step: 'failed', why: (error as Error).message };
  }
}

async function done(row: MachineRow, { action }: Deed): Promise<Progress> {
  try {
    await request(`${pathOfMachine(row)}?action=${action}`, { method: 'POST', body: {} });
    return { step: 'done' };
  } catch (error) {
    return { step: 'failed', why: (error as Error).message };
  }
}

function commandsFor(rows: readonly MachineRow[], { action }: Deed): string {
  const lines = rows.slice(0, shownCommands).map(row => commandFor(row, action, {}));
  return [...lines, ...(rows.length > shownCommands ? [`# and ${rows.length - shownCommands} more`] : [])].join('\n');
}

/** A few at a time, in order. */
async function forEach<T>(all: readonly T[], work: (one: T, index: number) => Promise<void>): Promise<void> {
  const left = all.entries();
  const worker = async () => {
    for (const [i, one] of left) await work(one, i);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
