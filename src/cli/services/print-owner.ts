import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';
import { wrapText } from '../output/wrap-text.ts';
import { standingText, whoClaims } from '../works/claims-on.ts';
import type { ClusterExplanation, OwnerExplanation, ServiceExplanation } from './explain-owner.ts';

/** An explanation for people, in lines of at most 80 columns where names allow. */
export function printOwner({ owner, summary, clusters }: OwnerExplanation): string {
  const none = clusters.length === 0 ? 'It is on no cluster.\n' : '';
  return [`${wrapText(visibleLine(`${owner}. ${summary}`))}${none}`, ...clusters.map(printCluster)].join('\n');
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
