import type { StepProblem, StepState } from '@patchbay/contract/shared/attention-kinds'

/** States of the setup steps. */

export interface Step {
  state: StepState
  problem: StepProblem | null
}

export const open: Step = { state: 'open', problem: null }
export const done: Step = { state: 'done', problem: null }
export const untested = (problem: StepProblem): Step => ({ state: 'untested', problem })
export const failing = (problem: StepProblem): Step => ({ state: 'failing', problem })

/** Maximum number of records of each kind of which one has to work. */
export const maxRecords = 1000

/** Returns the state of a step that needs one record: of those that may not work, the one that is closest to it. */
export const chooseStep = (problems: readonly (Step | undefined)[]): Step => {
  if (problems.length === 0) return open
  if (problems.includes(undefined)) return done
  return problems.find((problem) => problem?.state === 'untested') ?? problems[0] ?? open
}
