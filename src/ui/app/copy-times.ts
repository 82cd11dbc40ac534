/** Whoever copies a time gets all of it: what the page says in a word, `5m`, means nothing in another place. Rows of tables come as rows. */
export function listenToCopies(): () => void {
  document.addEventListener('copy', onCopy);
  return () => document.removeEventListener('copy', onCopy);
}

function onCopy(event: ClipboardEvent): void {
  const selection = getSelection();
  if (event.defaultPrevented || !selection || selection.isCollapsed || selection.rangeCount === 0) return;
  const text = textOf(selection.getRangeAt(0));
  if (text === undefined) return;
  event.preventDefault();
  event.clipboardData?.setData('text/plain', text);
}

/** Undefined where no time is. */
function textOf(range: Range): string | undefined {
  const { commonAncestorContainer: place } = range;
  const within = (place instanceof Element ? place : place.parentElement)?.closest('time');
  if (within) return within.dateTime;
  const copied = range.cloneContents();
  const times = copied.querySelectorAll('time');
  if (times.length === 0) return undefined;
  for (const time of times) time.textContent = time.dateTime;
  const rows = [...copied.querySelectorAll('[role="row"], tr')];
  if (rows.length > 0) return rows.map(rowText).join('\n');
  return laidOut(copied);
}

const rowText = (row: Element): string =>
  [...row.querySelectorAll('[role="cell"], [role="columnheader"], td, th')].map(cell => cell.textContent.trim()).join('\t');

/** As it is read: where lines begin is known once it is laid out. */
function laidOut(copied: DocumentFragment): string {
  const box = document.createElement('div');
  box.className = 'unseen';
  box.append(copied);
  document.body.append(box);
  const text = box.innerText;
  box.remove();
  return text;
}
