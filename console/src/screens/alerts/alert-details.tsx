import type { Alert } from '@patchbay/contract/alerts'
import { ScreenLink } from '../../screen/links.tsx'
import { RecordDetails } from '../../record/record-details.tsx'
import { oneCall } from '../../routes/recent-calls.ts'
import { alertShape, getCallLink } from './alert-facts.ts'

/** Shows all fields of an alert and a link to its call. */
export const AlertDetails = ({ alert }: { alert: Alert }) => {
  const call = getCallLink(alert)
  return (
    <RecordDetails record={alert} shape={alertShape}>
      {call && (
        <ScreenLink to={oneCall} params={call}>
          Show the call
        </ScreenLink>
      )}
    </RecordDetails>
  )
}
