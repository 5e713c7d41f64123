import type { Alert } from '@patchbay/contract/alerts'
import { findAlertCall } from '@patchbay/rules/alerts/alert-links'
import type { ReactNode } from 'react'
import { RecordDetails } from '../../record/record-details.tsx'
import { oneCall } from '../../routes/recent-calls.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { alertShape } from './alert-facts.ts'

/** Shows all fields of an alert, a link to its call, and further content. */
export const AlertDetails = ({ alert, children }: { alert: Alert; children?: ReactNode }) => {
  const call = findAlertCall(alert)
  return (
    <RecordDetails record={alert} shape={alertShape}>
      {call && (
        <ScreenLink to={oneCall} params={call}>
          Show the call
        </ScreenLink>
      )}
      {children}
    </RecordDetails>
  )
}
