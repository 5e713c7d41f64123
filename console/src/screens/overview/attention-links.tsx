import type { AttentionRecord } from '@patchbay/contract/overview'
import type { AttentionKind } from '@patchbay/contract/shared/attention-kinds'
import { visibleSuffixLength } from '@patchbay/rules/masking/masking'
import type { ReactNode } from 'react'
import { accountList, editAccount } from '../../routes/accounts.ts'
import { alerts } from '../../routes/alerts.ts'
import { apiKeyList } from '../../routes/api-keys.ts'
import { applicationList, editApplication } from '../../routes/applications.ts'
import { callQuality } from '../../routes/call-quality.ts'
import { carrierList, editCarrier } from '../../routes/carriers.ts'
import { canOpen, type Screen } from '../../routes/define-screen.ts'
import { editPhoneNumber, phoneNumberList } from '../../routes/phone-numbers.ts'
import { recentCalls } from '../../routes/recent-calls.ts'
import { settings } from '../../routes/settings.ts'
import { editSpeech, speechList } from '../../routes/speech-services.ts'
import { systemStatus } from '../../routes/system-status.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { useUnreadAlerts } from '../../sections/new-alerts.ts'
import { requiredSession } from '../../session/session.ts'
import { callsInScope, daysSinceYesterday } from './calls-in-scope.ts'

/** Links from a problem to the screens that solve it. */

const lists: Readonly<Record<AttentionKind, Screen>> = {
  carrier_unregistered: carrierList,
  carrier_failing: callQuality,
  registration_unreported: carrierList,
  speech_test_failed: speechList,
  speech_missing: applicationList,
  limit_near: accountList,
  number_without_application: phoneNumberList,
  api_key_expiring: apiKeyList,
  certificate_expiring: systemStatus,
  backup_failing: systemStatus,
  alerts,
}

const NewAlertsLink = ({ children }: { children: ReactNode }) => (
  <ScreenLink to={alerts} search={useUnreadAlerts().search}>
    {children}
  </ScreenLink>
)

/** The title of a problem as a link to the list of its records, if the user can open it. */
export const AttentionListLink = ({ kind, children }: { kind: AttentionKind; children: ReactNode }) =>
  kind === 'alerts' ? (
    <NewAlertsLink>{children}</NewAlertsLink>
  ) : canOpen(lists[kind], requiredSession().actor) ? (
    <ScreenLink to={lists[kind]}>{children}</ScreenLink>
  ) : (
    children
  )

/** Links to the calls over a carrier that were not answered in the days that the overview compares. */
const CarrierCallsLink = ({ name, children }: { name: string; children: ReactNode }) => {
  const search = { ...callsInScope(), ...daysSinceYesterday(), trunk: name, answered: 'false' } as const
  return (
    <ScreenLink to={recentCalls} search={search}>
      {children}
    </ScreenLink>
  )
}

/** Links to the tenant whose limit needs attention: its account, or the settings of the provider. */
const TenantLink = ({ account_sid, children }: { account_sid: string | null; children: ReactNode }) => {
  if (account_sid !== null)
    return (
      <ScreenLink to={editAccount} params={{ account_sid }}>
        {children}
      </ScreenLink>
    )
  return canOpen(settings, requiredSession().actor) ? (
    <ScreenLink to={settings} search={{ tab: 'provider' }}>
      {children}
    </ScreenLink>
  ) : (
    children
  )
}

/** Returns the filter that finds a key in the list: its name, or the visible characters of its masked token. */
const toKeyFilter = (name: string): string => (name.startsWith('*') ? name.slice(-visibleSuffixLength) : name)

interface RecordLinkProps {
  kind: AttentionKind
  record: AttentionRecord
  children: ReactNode
}

/** The name of a record as a link to the screen that solves its problem. */
export const AttentionRecordLink = ({ kind, record: { sid, name, account_sid }, children }: RecordLinkProps) => {
  if (kind === 'limit_near') return <TenantLink account_sid={account_sid}>{children}</TenantLink>
  if (kind === 'api_key_expiring')
    return (
      <ScreenLink to={apiKeyList} search={{ filter: toKeyFilter(name) }}>
        {children}
      </ScreenLink>
    )
  if (kind === 'carrier_failing') return <CarrierCallsLink name={name}>{children}</CarrierCallsLink>
  if (sid === null) return children
  if (kind === 'carrier_unregistered' || kind === 'registration_unreported')
    return (
      <ScreenLink to={editCarrier} params={{ voip_carrier_sid: sid }}>
        {children}
      </ScreenLink>
    )
  if (kind === 'speech_test_failed')
    return (
      <ScreenLink to={editSpeech} params={{ speech_credential_sid: sid }}>
        {children}
      </ScreenLink>
    )
  if (kind === 'speech_missing')
    return (
      <ScreenLink to={editApplication} params={{ application_sid: sid }}>
        {children}
      </ScreenLink>
    )
  return (
    <ScreenLink to={editPhoneNumber} params={{ phone_number_sid: sid }}>
      {children}
    </ScreenLink>
  )
}
