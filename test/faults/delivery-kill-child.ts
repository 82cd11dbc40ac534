/** Does one deed of a scenario, until it is killed: `node delivery-kill-child.ts SCENARIO KUBECONFIG NAMESPACE`. */
import { killScenarios, placeIn } from '../helpers/kill-scenarios.ts';
import { clientOf } from '../helpers/release-rig.ts';

const [scenario = '', kubeconfig = '', namespace = ''] = process.argv.slice(2);
const ended = new AbortController();
await using client = clientOf(kubeconfig);
await killScenarios[scenario]!.deed(placeIn(client, namespace, AbortSignal.any([ended.signal, AbortSignal.timeout(120_000)])));
ended.abort();
