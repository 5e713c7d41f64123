import type { Turn } from '@patchbay/contract/conversations'

const speakers = { caller: 'Caller', agent: 'Agent' } as const

/** Returns who speaks in a turn. The side of the agent can be another party, such as after a transfer. */
export const getSpeakerLabel = ({ speaker, is_other_side }: Pick<Turn, 'speaker' | 'is_other_side'>): string =>
  is_other_side === true ? 'Other side' : speakers[speaker]
