import { isGateOver } from '../../../core/gates/gate-phase.ts';
import type { JsonObject } from '../../../util/json.ts';
import { nestedOutputs } from '../approvals/nested-outputs.ts';
import type { GateAnswer } from '../gates/gate-desk.ts';
import { tell, wake, type Draft, type GateQuestion } from './run-step.ts';
import type { GateRecord } from './run-status.ts';

const maxBodyLength = 4096;

/** Asks how a gate is, and writes it down. */
export function lookAtGate(draft: Draft, record: GateRecord, question: Omit<GateQuestion, 'state'>): GateAnswer {
  const answer = draft.input.lookAt({ ...question, state: record.state });
  const { gate, wave } = question;
  const about = { ...(wave && { wave: wave.name }), nonce: question.place };
  record.phase = answer.phase;
  if (answer.message === undefined) delete record.message;
  else record.message = answer.message;
  if (answer.state !== null && typeof answer.state === 'object') record.state = answer.state as JsonObject;
  if (answer.approvalRequest !== undefined && record.approvalRequest === undefined) {
    record.approvalRequest = answer.approvalRequest;
    tell(draft, { event: 'ApprovalRequested', message: `${gate.name} waits for ${answer.approvalRequest}`, ...about });
  }
  wake(draft, answer.wakeAt);
  if (!isGateOver(answer.phase)) return answer;
  delete record.state;
  keepOutputs(draft, gate.name, answer.outputs);
  if (record.approvalRequest !== undefined) tell(draft, { event: 'ApprovalDecided', message: answer.message ?? answer.phase, ...about });
  if (answer.phase !== 'Successful')
    tell(draft, { event: 'GateFailed', message: `${gate.name}: ${answer.message ?? answer.phase}`, ...about });
  return answer;
}

function keepOutputs({ status, engine }: Draft, name: string, outputs: GateAnswer['outputs']): void {
  if (!outputs) return;
  const { httpResponseCode, httpResponseBody = '', ...others } = outputs;
  if (httpResponseCode !== undefined) engine.http = { code: httpResponseCode, body: httpResponseBody.slice(0, maxBodyLength) };
  if (Object.keys(others).length > 0) status.outputs = { ...status.outputs, [name]: nestedOutputs(others) };
}
