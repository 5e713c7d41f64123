import { describeError } from '../../adapters/outbound-http/error-messages.ts'
import type { AccountAlert } from '../alerts/account-alerts.ts'

/** Returns the alert for a recording that the storage of its account did not accept. The call shows it. */
export const toUploadAlert = (
  { account_sid, call_sid }: { account_sid: string; call_sid: string },
  error: unknown,
): AccountAlert => ({
  account_sid,
  alert_type: 'recording-upload-failure',
  message:
    'The storage of the account did not accept the recording of this call. Patchbay keeps the recording and tries again.',
  detail: describeError(error, 'storage'),
  target_sid: call_sid,
})
