import { isAtLeast, type Scope } from '@patchbay/contract/api/access'
import type { SetupStep, StepState } from '@patchbay/contract/shared/attention-kinds'

/** Says who completes the steps to a first call, and whether they are complete. Pure. */

/**
 * Returns the least scope that can complete a step.
 * @param reservesCarriers whether the installation reserves carriers for service providers
 */
const requiredScope = (step: SetupStep, reservesCarriers: boolean): Scope => {
  if (step === 'sip_addresses') return 'admin'
  return step === 'carrier' && reservesCarriers ? 'service_provider' : 'account'
}

/** Returns who has to complete a step, or undefined if users of this scope can. */
export const stepOwner = (step: SetupStep, scope: Scope, reservesCarriers: boolean): Scope | undefined => {
  const required = requiredScope(step, reservesCarriers)
  return isAtLeast(scope, required) ? undefined : required
}

/** Returns whether users can make calls: all steps are done, or calls have been answered lately. */
export const isReadyForCalls = (steps: readonly { state: StepState }[], hasAnsweredCalls: boolean): boolean =>
  hasAnsweredCalls || steps.every(({ state }) => state === 'done')
