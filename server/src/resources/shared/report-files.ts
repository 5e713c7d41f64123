import type { Bytes } from '@patchbay/contract/api/endpoint'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { CallReport } from '@patchbay/contract/call-reports'
import type { ReportChoices } from '@patchbay/contract/shared/call-report-choices'
import { toPcap } from '../../call-data/captures/pcap.ts'
import { type ReadReport, readReport } from '../../call-data/reports/read-report.ts'
import { renderReport } from '../../call-data/reports/render-report.ts'
import type { Services } from '../services.ts'

/** Reads reports, and creates their files, for users and for people with a link. */

/** Reads the report about the call of an account with this Call-ID. Throws if there is none. */
export const requireReport = async (
  { calls, captures, database }: Pick<Services, 'calls' | 'captures' | 'database'>,
  { account_sid, sip_callid }: { account_sid: string; sip_callid: string },
  choices: ReportChoices,
): Promise<ReadReport> => {
  const account = await database.db
    .selectFrom('accounts')
    .select('name')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  if (account === undefined) return throwApiError('not_found')
  const read = await readReport({ calls, captures }, { account_sid, account_name: account.name, sip_callid }, choices)
  if (read === 'no call') return throwApiError('call_not_found')
  return read === 'no SIP' ? throwApiError('no_captured_sip') : read
}

/** The name has no number and no address: `call-report-2026-11-30T08-32-23Z.html`. */
const getHeaders = ({ call }: CallReport, extension: string) => {
  const time = call.attempted_at.replace(/\.\d+/, '').replaceAll(':', '-')
  return { 'content-disposition': `attachment; filename="call-report-${time}.${extension}"` }
}

/** Creates the file that people read. */
export const toHtmlFile = ({ report }: ReadReport): Bytes => ({
  type: 'text/html; charset=utf-8',
  content: Buffer.from(renderReport(report)),
  headers: getHeaders(report, 'html'),
})

/** Creates the file of the packets. */
export const toPcapFile = ({ report, datagrams }: ReadReport): Bytes => ({
  type: 'application/vnd.tcpdump.pcap',
  content: toPcap(datagrams),
  headers: getHeaders(report, 'pcap'),
})
