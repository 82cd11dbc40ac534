import type { NotificationBody } from './notification.ts';

/** What an incoming webhook of Slack takes. */
export function slackMessage({ event, run, namespace, workflow, wave, cluster, message, url }: NotificationBody): {
  readonly text: string;
} {
  const where = [wave === null ? '' : `wave ${wave}`, cluster === null ? '' : `cluster ${cluster}`].filter(one => one !== '').join(', ');
  const title = `*${escaped(event)}* ${escaped(workflow)} <${url}|${escaped(`${namespace}/${run}`)}>`;
  return { text: `${title}${where === '' ? '' : ` (${escaped(where)})`}\n${escaped(message)}` };
}

/** The three characters that Slack reads. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
