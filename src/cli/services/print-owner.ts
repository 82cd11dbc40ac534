import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import { wrapText } from '../output/wrap-text.ts';
import { standingText, whoClaims } from '../works/claims-on.ts';
import type { ClusterExplanation, NotSelected, OwnerExplanation, ServiceExplanation } from './explain-owner.ts';

/** An explanation for people, in lines of at most 80 columns where names allow. */
export function printOwner({ owner, summary, clusters, notSelected }: OwnerExplanation): string {
  const none = clusters.length + notSelected.length === 0 ? 'It is on no cluster.\n' : '';
  const parts = [`${wrapText(visibleLine(`${owner}. ${summary}`))}${none}`, ...clusters.map(printCluster)];
  if (notSelected.length > 0) parts.push(printNotSelected(notSelected));
  return parts.join('\n');
}

const maxNotSelected = 10;

function printNotSelected(all: readonly NotSelected[]): string {
  const more = all.length - maxNotSelected;
  return [
    ...all.slice(0, maxNotSelected).map(({ cluster, why }) => wrapText(visibleLine(`Cluster ${cluster} is not selected: ${why}.`))),
    more > 0 ? `And ${more} more are not selected: --cluster asks for one.\n` : '',
  ].join('');
}

function printCluster({ cluster, member, summary, services }: ClusterExplanation): string {
  const name = member === null || cluster.endsWith(`/${member}`) ? cluster : `${cluster}, member ${member}`;
  return `${wrapText(visibleLine(`Cluster ${name}: ${summary}`))}${services.map(printService).join('')}`;
}

function printService({ release, template, state, message, report, claims, why, ifLeft }: ServiceExplanation): string {
  const say = (text: string): string => wrapText(visibleLine(text), { indent: '    ' });
  const table = new TabWriter();
  for (const claim of claims) table.line(`    ${visibleLine(whoClaims(claim))}\tpriority ${claim.priority}\t${standingText(claim)}`);
  return [
    wrapText(visibleLine(`Release ${release} of template ${template}: ${state}`), { indent: '  ' }),
    message === null ? '' : say(message),
    report === null ? '' : say(`A delivery would come to ${report.action}: ${report.message}`),
    table.flush(),
    say(why),
    ...ifLeft.map(say),
  ].join('');
}
