import { useState } from 'react';
import { useParams } from 'wouter';
import { Icon } from '../../parts/icon.tsx';
import { ErrorNote, NoSuchPart } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { DialectTable } from './dialect-table.tsx';
import { InertTable } from './inert-table.tsx';
import { KindTable } from './kind-table.tsx';
import { useCounts } from './use-counts.ts';

const tabs = [
  { id: '', title: 'Dialects' },
  { id: 'kinds', title: 'Kinds' },
  { id: 'fields', title: 'Not acted upon' },
];

/** Whose words the hub understands, how many objects there are of each, and what in them changes nothing. */
export function Dialects() {
  const { part = '' } = useParams<{ part?: string }>();
  const [round, setRound] = useState(0);
  const counts = useCounts(round);
  return (
    <Page
      title="Dialects"
      isFilled={part !== ''}
      actions={
        <button type="button" className="button" disabled={counts.isCounting} onClick={() => setRound(round + 1)}>
          <Icon name="refresh" />
          Count again
        </button>
      }
    >
      <Tabs tabs={tabs} current={part} base="/dialects" />
      {counts.error !== undefined && <ErrorNote error={counts.error} about="Dialects" />}
      {part === '' && <DialectTable counts={counts} />}
      {part === 'kinds' && <KindTable counts={counts} />}
      {part === 'fields' && <InertTable counts={counts} />}
      {!tabs.some(one => one.id === part) && <NoSuchPart />}
    </Page>
  );
}
