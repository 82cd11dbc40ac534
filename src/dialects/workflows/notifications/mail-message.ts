import type { NotificationBody } from './notification.ts';

const lineLength = 76;

/** What people read of a happening, as one mail of RFC 5322. Whatever names hold, they stay within their header. */
export function mailText(
  { id, event, run, namespace, workflow, wave, cluster, phase, message, at, url }: NotificationBody,
  from: string,
  to: string,
): string {
  const facts: [string, string | null][] = [
    ['Workflow', `${namespace}/${workflow}`],
    ['Run', run],
    ['Phase', phase],
    ['Wave', wave],
    ['Cluster', cluster],
    ['Time', at],
    ['Address', url],
  ];
  const body = [message, '', ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]))].join('\r\n');
  const headers = [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${headerText(`[${namespace}/${run}] ${event}: ${message}`)}`,
    `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
    // The same for every attempt, so that who gets it twice can tell.
    `Message-ID: <${id}@${domainOf(from)}>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ];
  const encoded =
    Buffer.from(body)
      .toString('base64')
      .match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return [...headers, '', ...encoded, ''].join('\r\n');
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

const maxSubject = 150;
/** A line with "Subject: ", "=?utf-8?B?" and "?=" has at most 76 characters. */
const wordBytes = 36;

/** As plain as it came, or in encoded words (RFC 2047). Line breaks and other controls are spaces. */
export function headerText(text: string): string {
  const flat = [...text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')].slice(0, maxSubject).join('');
  if (/^[\x20-\x7e]*$/.test(flat) && !flat.includes('=?') && flat.length <= lineLength - 'Subject: '.length) return flat;
  const words: string[] = [];
  let word = '';
  for (const character of flat) {
    if (Buffer.byteLength(word + character) > wordBytes) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map(one => `=?utf-8?B?${Buffer.from(one).toString('base64')}?=`).join('\r\n ');
}
