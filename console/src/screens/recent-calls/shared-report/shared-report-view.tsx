import type { CallReport, SharedReport } from '@patchbay/contract/call-reports'
import { formatDurationLong } from '@patchbay/contract/shared/durations'
import { QueryClientProvider, queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isNotFound } from '../../../api/api-error.ts'
import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import { describeMasking } from '../../../sections/call-shares/masking-labels.ts'
import { Ladder } from '../../../sections/sip/ladder.tsx'
import { StateBadge } from '../../../ui/badge.tsx'
import { Banner } from '../../../ui/banner.tsx'
import { type DefinitionEntry, DefinitionList } from '../../../ui/definition-list.tsx'
import { DateTime } from '../../../ui/format/time.tsx'
import { DownloadButtons } from '../report/download-buttons.tsx'
import { downloadSharedReport } from '../report/download-report.ts'
import { InvalidLink } from '../shared-call/invalid-link.tsx'
import { toReportFindings, toReportLadder } from './to-ladder.ts'

const sharedReportQuery = (token: string) =>
  queryOptions({
    queryKey: ['shared-report', token],
    queryFn: ({ signal }) => api('GET /patchbay/shared-report', {}, { signal, token, ownFailures: true }),
  })

/** Formats a time in UTC, because viewers are in other places: `2026-11-30 08:32:23 UTC`. */
const formatUtc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`

const toEntries = ({ expires_at, report: { account_name, call, legs, masking } }: SharedReport): DefinitionEntry[] => {
  const callIds = legs.map(
    ({ name, sip_callid }): DefinitionEntry => [
      legs.length > 1 ? `Call-ID of leg ${name}` : 'Call-ID',
      sip_callid,
      { mono: true, copy: sip_callid },
    ],
  )
  const optional: (readonly [string, string | null, mono?: boolean])[] = [
    ['Direction', call.direction],
    ['From', call.from, true],
    ['To', call.to, true],
    ['SIP status', call.sip_status],
    ['Termination reason', call.termination_reason],
    ['Trunk', call.trunk],
  ]
  return [
    ['Reported by', account_name],
    ['Time', formatUtc(call.attempted_at)],
    ['Duration', formatDurationLong(call.duration)],
    ...optional.flatMap(([name, value, mono = false]): DefinitionEntry[] =>
      value === null ? [] : [[name, value, { mono }]],
    ),
    ...callIds,
    ['Masking', describeMasking(masking)],
    ['Link expires', <DateTime key="expires" iso={expires_at} />],
  ]
}

type Evidence = CallReport['verdict']['further'][number]

const EvidenceItem = ({ title, side, detail }: Evidence) => (
  <>
    <p>
      {title} <StateBadge tone="neutral">{side}</StateBadge>
    </p>
    {detail !== null && <p>{detail}</p>}
  </>
)

const Verdict = ({ verdict: { tone, title, cause, further } }: Pick<CallReport, 'verdict'>) => {
  // The problem of an answered call has a title of its own.
  const isCauseInTitle = cause !== null && cause.title === title
  const evidence = cause === null || isCauseInTitle ? further : [cause, ...further]
  return (
    <section aria-label="Verdict">
      <Banner tone={tone === 'neutral' ? 'info' : tone} title={title}>
        {isCauseInTitle && (
          <>
            {cause.detail} <StateBadge tone="neutral">{cause.side}</StateBadge>{' '}
          </>
        )}
        Judged by the call record and the captured SIP.
      </Banner>
      {evidence.length > 0 && (
        <ul aria-label="Further evidence">
          {evidence.map((one) => (
            <li key={`${one.title} ${one.detail}`}>
              <EvidenceItem {...one} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Report = ({ shared, token }: { shared: SharedReport; token: string }) => {
  const { report } = shared
  const ladder = useMemo(() => toReportLadder(report), [report])
  const findings = useMemo(() => toReportFindings(report), [report])
  return (
    <>
      <p className="note">
        A read-only report about a call. Everyone with this link can open it until it expires or is revoked. Recordings
        and media statistics are not part of it.
      </p>
      <Verdict verdict={report.verdict} />
      <DefinitionList entries={toEntries(shared)} />
      <DownloadButtons download={(kind) => downloadSharedReport(kind, token)} />
      {report.is_cut && (
        <Banner tone="warn" title="The report is incomplete.">
          The call has more messages than the report contains.
        </Banner>
      )}
      {report.legs.length > 1 && (
        <ul aria-label="Description of the legs" className="note">
          {report.legs.map(({ name, description }) => (
            <li key={name}>
              Leg {name}: {description}
            </li>
          ))}
        </ul>
      )}
      <Ladder ladder={ladder} findings={findings} />
    </>
  )
}

const LoadedReport = ({ token }: { token: string }) => {
  const query = useQuery({ ...sharedReportQuery(token), enabled: token !== '' })
  const { data, error } = query
  // A revoked link must not show the data of an earlier read.
  if (token === '' || isNotFound(error)) return <InvalidLink />
  return data === undefined ? <FormLoading queries={[query]} sections={2} /> : <Report shared={data} token={token} />
}

/** Shows the report of a link, or why it cannot be shown. */
export const SharedReportView = ({ token }: { token: string }) => (
  <QueryClientProvider client={queryClient}>
    <LoadedReport token={token} />
  </QueryClientProvider>
)
