import { useEffect, useRef, useState, type RefObject } from 'react';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Field } from './field.tsx';
import type { RfbClient } from './vnc/rfb-client.ts';
import { typeText, untypable } from './vnc/type-text.ts';

type Way = 'type' | 'clipboard';
/** More than a minute and a half of typing. */
const mostTyped = 4000;

interface PasteDialogProps {
  readonly name: string;
  readonly client: RefObject<RfbClient | undefined>;
  onClose(): void;
}

/** Brings a text to a machine: typed key by key, or into its clipboard where a program in the machine takes that. */
export function PasteDialog({ name, client, onClose }: PasteDialogProps) {
  const [text, setText] = useState('');
  const [way, setWay] = useState<Way>('type');
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const fault = faultOf(text, way);

  async function paste(): Promise<void> {
    const machine = client.current;
    if (!machine) throw new Error('the screen is not open any more; open it again');
    if (way === 'clipboard') machine.copyText(text);
    else await typeText(machine, text, { signal: stop.current.signal });
  }

  return (
    <ActionDialog
      title={`Paste into ${name}`}
      verb={way === 'type' ? 'Type' : 'Copy there'}
      isReady={text !== '' && fault === undefined}
      onDo={paste}
      onClose={onClose}
    >
      <Field
        label="Text"
        fault={fault}
        hint={
          way === 'type'
            ? 'It is typed where the cursor of the machine is, fifty characters in a second. Line ends are Enter.'
            : 'The machine has it in its clipboard if the SPICE agent (spice-vdagent) runs there.'
        }
      >
        {props => (
          <textarea
            {...props}
            data-first
            rows={6}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={event => setText(event.target.value)}
          />
        )}
      </Field>
      <fieldset className="row">
        <legend className="label">How it gets there</legend>
        <label className="row">
          <input type="radio" name="paste-way" checked={way === 'type'} onChange={() => setWay('type')} />
          As keys
        </label>
        <label className="row">
          <input type="radio" name="paste-way" checked={way === 'clipboard'} onChange={() => setWay('clipboard')} />
          Into its clipboard
        </label>
      </fieldset>
    </ActionDialog>
  );
}

function faultOf(text: string, way: Way): string | undefined {
  if (way === 'clipboard') {
    const foreign = [...new Set(text)].filter(character => character.codePointAt(0)! > 0xff);
    return foreign.length > 0 ? `VNC has no way for ${foreign.slice(0, 5).join(' ')}: only characters of Latin-1.` : undefined;
  }
  const missing = untypable(text);
  if (missing.length > 0) return `No key of an American keyboard writes ${missing.slice(0, 5).join(' ')}.`;
  return text.length > mostTyped ? `That would take too long: ${mostTyped.toLocaleString()} characters at most.` : undefined;
}
