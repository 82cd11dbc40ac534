import type { TestEvent } from 'node:test/reporters';

/** A reporter for Node's test runner that prints nothing but the files in which a test failed, one a line. */
// oxlint-disable-next-line import/no-default-export -- the test runner takes the default export of a reporter
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const told = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== 'test:fail' || data.todo || data.file === undefined || told.has(data.file)) continue;
    told.add(data.file);
    yield `${data.file}\n`;
  }
}
