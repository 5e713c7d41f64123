import type { SetupStep, StepState } from '@patchbay/contract/shared/attention-kinds'
import type { StateTone } from '../../ui/badge.tsx'

/** The names and the states of the setup steps. */

export const stepTitles: Readonly<Record<SetupStep, string>> = {
  sip_addresses: 'SIP addresses',
  carrier: 'Carrier',
  speech: 'Speech service',
  application: 'Application',
  number: 'Phone number',
  first_call: 'First call',
}

export const stepBadges: Readonly<Record<StepState, { tone: StateTone; label: string }>> = {
  done: { tone: 'good', label: 'Done' },
  untested: { tone: 'warn', label: 'Not tested' },
  failing: { tone: 'warn', label: 'Needs attention' },
  open: { tone: 'neutral', label: 'Open' },
  unknown: { tone: 'neutral', label: 'Unknown' },
}
