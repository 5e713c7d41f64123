import type { Alert } from '@patchbay/contract/alerts'
import { ScreenLink } from '../../page/links.tsx'
import { RecordDetails } from '../../page/record-details.tsx'
import { oneCall } from '../recent-calls/screens.ts'
import { alertShape, getCallLink } from './alert-facts.ts'

/** All that is known of an alert, and the way to its call. */
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
