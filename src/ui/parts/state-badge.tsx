import { Icon, type IconName } from './icon.tsx';
import { judged, type judgeObject, type Tone } from './judge-object.ts';

export { judgeObject, words, type Tone } from './judge-object.ts';

const icons: Record<Tone, IconName> = { good: 'good', warn: 'warn', bad: 'bad', info: 'info', idle: 'idle' };

/** How something is, by picture, word and colour. */
export function StateBadge({ tone, word, why, isBusy = false }: { tone: Tone; word: string; why?: string | undefined; isBusy?: boolean }) {
  return (
    <span className={`state ${tone}`} title={why}>
      <Icon name={isBusy ? 'busy' : icons[tone]} size={13} {...(isBusy && { className: 'spin' })} />
      {word}
    </span>
  );
}

export function ObjectState({ object }: { object: Parameters<typeof judgeObject>[0] }) {
  const state = judged(object);
  return state ? <StateBadge {...state} /> : null;
}
