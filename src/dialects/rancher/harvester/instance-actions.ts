import { callSubresource, type MachineContext } from './machine-context.ts';

export const pause = (ctx: MachineContext) => onInstance(ctx, 'pause');
export const unpause = (ctx: MachineContext) => onInstance(ctx, 'unpause');
export const softreboot = (ctx: MachineContext) => onInstance(ctx, 'softreboot');

async function onInstance(ctx: MachineContext, verb: string): Promise<void> {
  await callSubresource(ctx, `virtualmachineinstances/${verb}`);
}
