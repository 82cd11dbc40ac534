import type { Duplex } from 'node:stream';

/**
 * Carries bytes both ways, no faster than they are read. Either side may finish first, and what it has said still reaches the other; an error or a
 * sudden end of one is the end of both. Resolves when both are closed.
 */
export async function joinStreams(one: Duplex, other: Duplex): Promise<void> {
  const closed = [one, other].map(stream => new Promise<void>(resolve => stream.once('close', resolve)));
  carry(one, other);
  carry(other, one);
  await Promise.all(closed);
}

function carry(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.once('error', () => to.destroy());
  from.once('close', () => {
    if (!from.readableEnded || to.writableFinished) to.destroy();
    else to.once('finish', () => to.destroy());
  });
}
