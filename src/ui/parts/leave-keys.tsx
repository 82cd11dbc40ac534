/* What is typed into a machine goes there, Tab and Escape too. These keys, the ones of QEMU's own windows, give the keyboard back to the page. */

export const isLeaving = ({ ctrlKey, altKey, code }: Pick<KeyboardEvent, 'ctrlKey' | 'altKey' | 'code'>): boolean =>
  ctrlKey && altKey && code === 'KeyG';

export function LeaveHint() {
  return (
    <span className="muted">
      <kbd>Ctrl</kbd> <kbd>Alt</kbd> <kbd>G</kbd> gives the keyboard back to the page
    </span>
  );
}
