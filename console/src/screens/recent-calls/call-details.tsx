import type { Call } from '@patchbay/contract/recent-calls'
import { RecordDetails } from '../../record/record-details.tsx'
import { callShape } from './call-facts.ts'

/** Shows all fields of a call record. */
export const CallDetails = ({ call }: { call: Call }) => <RecordDetails record={call} shape={callShape} />
