import type { Alert } from '@patchbay/contract/alerts'
import { toAlertObject } from '@patchbay/rules/alerts/alert-objects'
import { accountList, editAccount } from '../../../routes/accounts.ts'
import { applicationList } from '../../../routes/applications.ts'
import { carrierList, editCarrier } from '../../../routes/carriers.ts'
import { canOpen, type Screen } from '../../../routes/define-screen.ts'
import { settings } from '../../../routes/settings.ts'
import { speechList } from '../../../routes/speech-services.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { findRepairTarget, type RepairTarget } from './repair-target.ts'

const screens: Readonly<Record<RepairTarget, Screen>> = {
  carrier: editCarrier,
  carriers: carrierList,
  speech: speechList,
  applications: applicationList,
  provider: settings,
  account: accountList,
}

/** Links an alert to the screen where its cause is repaired, if the user can open it. */
export const RepairLink = ({ alert }: { alert: Alert }) => {
  const object = toAlertObject(alert)
  const target = findRepairTarget(alert.alert_type, object)
  const { actor } = requiredSession()
  const account = alert.account_sid === null ? {} : { account: alert.account_sid }
  if (target === 'account') {
    const { account_sid } = alert
    return (
      account_sid !== null && (
        <ScreenLink to={editAccount} params={{ account_sid }}>
          Show the account
        </ScreenLink>
      )
    )
  }
  if (!canOpen(screens[target], actor)) return null
  switch (target) {
    case 'carrier':
      return (
        <ScreenLink to={editCarrier} params={{ voip_carrier_sid: object.object_id ?? '' }} search={{ tab: 'health' }}>
          Show the carrier
        </ScreenLink>
      )
    case 'carriers':
      return (
        <ScreenLink to={carrierList} search={account}>
          Show the carriers
        </ScreenLink>
      )
    case 'speech':
      return (
        <ScreenLink to={speechList} search={account}>
          Show the speech services
        </ScreenLink>
      )
    case 'applications':
      return (
        <ScreenLink to={applicationList} search={account}>
          Show the applications
        </ScreenLink>
      )
    case 'provider':
      return (
        <ScreenLink to={settings} search={{ tab: 'provider' }}>
          Show the settings of the service provider
        </ScreenLink>
      )
  }
}
