import { editAccount } from '../routes/accounts.ts'
import { editDestination } from '../routes/alert-destinations.ts'
import { editApplication } from '../routes/applications.ts'
import { editCarrier } from '../routes/carriers.ts'
import { editClient } from '../routes/clients.ts'
import { canOpen, type Screen } from '../routes/define-screen.ts'
import { editRouting } from '../routes/lcr.ts'
import { editTeamsTenant } from '../routes/ms-teams-tenants.ts'
import { editPhoneNumber } from '../routes/phone-numbers.ts'
import { editSpeech } from '../routes/speech-services.ts'
import { editUser } from '../routes/users.ts'
import { requiredSession } from '../session/session.ts'

/** The screens of records, by the parameter that contains the SID of the record. */
const screens: Readonly<Record<string, Screen>> = {
  account_sid: editAccount,
  alert_destination_sid: editDestination,
  application_sid: editApplication,
  voip_carrier_sid: editCarrier,
  client_sid: editClient,
  lcr_sid: editRouting,
  ms_teams_tenant_sid: editTeamsTenant,
  phone_number_sid: editPhoneNumber,
  speech_credential_sid: editSpeech,
  user_sid: editUser,
}

/** Returns the target of a link to a record, or undefined if the record has no screen that the user can open. */
export const findRecordTarget = (kind: string, sid: string) => {
  const parameter = `${kind}_sid`
  const screen = screens[parameter]
  if (screen === undefined || !canOpen(screen, requiredSession().actor)) return undefined
  return { to: screen, params: { [parameter]: sid } }
}
