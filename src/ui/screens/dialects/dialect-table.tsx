import { useState } from 'react';
import { dialects } from '../../../api/dialects.ts';
import { PlaceLink } from '../../app/place.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loading } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { comingFrom, type ComingFrom } from './coming-from.ts';
import type { Counts, KindRow } from './use-counts.ts';

/** Which dialects are on, how much is said in each, and how to come from it. */
export function DialectTable({ counts: { rows, isCounting } }: { counts: Counts }) {
  const [asked, setAsked] = useState<string>();
  const on = Map.groupBy(rows, ({ dialect }) => dialect);
  if (rows.length === 0) return isCounting ? <Loading /> : null;
  return (
    <>
      <p className="muted">
        A dialect is on when the hub serves its kinds. What the words of one become is the same for all: Clusters and Works.
      </p>
      <SmallTable
        name="Dialects"
        heads={['Dialect', 'State', 'Kinds', 'Objects', 'What to do']}
        rows={dialects.map(({ name, isOfMembers }) => {
          const kinds = on.get(name) ?? [];
          return [
            name,
            <StateBadge
              key="state"
              tone={kinds.length > 0 ? 'good' : 'idle'}
              word={kinds.length > 0 ? 'On' : isOfMembers ? 'On members' : 'Not served'}
            />,
            kinds.length === 0 ? (
              '–'
            ) : (
              <PlaceLink key="kinds" to={`/dialects/kinds?q=${encodeURIComponent(`dialect:${name}`)}`}>
                {kinds.length === 1 ? '1 kind' : `${kinds.length} kinds`}
              </PlaceLink>
            ),
            kinds.length === 0 ? '–' : objectsOf(kinds, isCounting),
            name in comingFrom ? (
              <button key="move" type="button" className="button" onClick={() => setAsked(name)}>
                {comingFrom[name]!.title}
              </button>
            ) : (
              ''
            ),
          ];
        })}
      />
      {asked !== undefined && <MoveDialog way={comingFrom[asked]!} isOn={on.has(asked)} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function objectsOf(kinds: readonly KindRow[], isCounting: boolean): string {
  const known = kinds.flatMap(({ count }) => count ?? []);
  if (known.length === 0) return isCounting ? '…' : '–';
  const sum = known.reduce((all, one) => all + one, 0);
  return known.length < kinds.length && !isCounting ? `at least ${sum}` : String(sum);
}

function MoveDialog({ way: { title, guide, steps }, isOn, onClose }: { way: ComingFrom; isOn: boolean; onClose(): void }) {
  return (
    <Dialog title={title} isWide onClose={onClose}>
      {!isOn && <p>The hub does not serve these kinds: it refuses such YAML, and the guide says what to use instead.</p>}
      <p>
        What works, what differs and what is not there is in <code>{guide}</code> of the guide.
      </p>
      <ol className="stack">
        {steps.map(({ about, command }) => (
          <li key={command}>
            <div className="stack tight">
              <span>{about}</span>
              <CommandLine command={command} />
            </div>
          </li>
        ))}
      </ol>
      <div className="dialog-end">
        <button type="button" className="button" data-first onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
