import type { AttentionRecord } from '@patchbay/contract/overview'
import type { AttentionKind } from '@patchbay/contract/shared/attention-kinds'
import { visibleSuffixLength } from '@patchbay/rules/masking/masking'
import type { ReactNode } from 'react'
import { editAccount } from '../../routes/accounts.ts'
import { alerts } from '../../routes/alerts.ts'
import { apiKeyList } from '../../routes/api-keys.ts'
import { applicationList, editApplication } from '../../routes/applications.ts'
import { carrierList, editCarrier } from '../../routes/carriers.ts'
import { editPhoneNumber, phoneNumberList } from '../../routes/phone-numbers.ts'
import { recentCalls } from '../../routes/recent-calls.ts'
import { settings } from '../../routes/settings.ts'
import { editSpeech, speechList } from '../../routes/speech-services.ts'
import { systemStatus } from '../../routes/system-status.ts'
import { ScreenLink } from '../../screen/links.tsx'
import { ListLink, type ListTarget } from '../../screen/list-link.tsx'
import { useUnreadAlerts } from '../../sections/new-alerts.ts'
import { callsInScope, daysSinceYesterday } from './calls-in-scope.ts'

/** Links from a problem to the screens that solve it. */

/**
 * Returns the list of exactly the records of a problem. Limits and carriers that deliver too little have none: the overview
 * itself names all of them.
 */
export const getAttentionList = (kind: AttentionKind): ListTarget | undefined => {
  switch (kind) {
    case 'carrier_unregistered':
    case 'registration_unreported':
      return { to: carrierList, search: { attention: kind } }
    case 'speech_test_failed':
      return { to: speechList, search: { attention: kind } }
    case 'speech_missing':
      return { to: applicationList, search: { attention: kind } }
    case 'number_without_application':
      return { to: phoneNumberList, search: { attention: kind } }
    case 'api_key_expiring':
      return { to: apiKeyList, search: { attention: kind } }
    case 'certificate_expiring':
    case 'backup_failing':
      return { to: systemStatus }
    case 'alerts':
      return { to: alerts }
    case 'limit_near':
    case 'carrier_failing':
      return undefined
  }
}

const NewAlertsLink = ({ children }: { children: ReactNode }) => (
  <ScreenLink to={alerts} search={useUnreadAlerts().search}>
    {children}
  </ScreenLink>
)

/** The title of a problem as a link to the list of its records, if there is one that the user can open. */
export const AttentionListLink = ({ kind, children }: { kind: AttentionKind; children: ReactNode }) => {
  if (kind === 'alerts') return <NewAlertsLink>{children}</NewAlertsLink>
  return <ListLink list={getAttentionList(kind)}>{children}</ListLink>
}

/** Links to the calls over a carrier in the days that the overview compares. */
const CarrierCallsLink = ({ name, children }: { name: string; children: ReactNode }) => {
  const search = { ...callsInScope(), ...daysSinceYesterday(), trunk: name } as const
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
  return <ListLink list={{ to: settings, search: { tab: 'provider' } }}>{children}</ListLink>
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
