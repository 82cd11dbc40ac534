import type { TestEvent } from 'node:test/reporters';

/** A reporter for Node's test runner that prints nothing but the files whose tests did not all pass, one a line. */
// oxlint-disable-next-line import/no-default-export -- the test runner takes the default export of a reporter
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    // One for each file, and one for all of them. Failures themselves name where a test is written, which may be a helper.
    if (type === 'test:summary' && !data.success && data.file !== undefined) yield `${data.file}\n`;
  }
}
