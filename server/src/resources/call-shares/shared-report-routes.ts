import { throwApiError } from '@patchbay/contract/api/errors'
import type { callReportEndpoints } from '@patchbay/contract/call-reports'
import type { Context, Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import type { Services } from '../services.ts'
import { requireReport, toHtmlFile, toPcapFile } from '../shared/report-files.ts'
import { createLinkAccess, toViewers } from './link-access.ts'
import { type CallShareRow, countView, toReportChoices } from './store.ts'

/**
 * Endpoints of people who have a link to the report about a call. The server masks the report for each request, by the
 * choices that are stored with the link.
 */

type SharedReportKey = Extract<keyof typeof callReportEndpoints, `${string}shared-report${string}`>
type LinkContext = Pick<Context<SharedReportKey>, 'token' | 'address' | 'signal'>

export const sharedReportRoutes = (services: Services): Handlers<SharedReportKey> => {
  const { requireShare, countDownload } = createLinkAccess(services)

  const readReport = async (share: CallShareRow, signal: AbortSignal) => {
    const { account_sid, report_sip_callid: sip_callid } = share
    const choices = toReportChoices(share)
    if (sip_callid === null || choices === null) return throwApiError('not_found')
    const readNow = () => requireReport(services, { account_sid, sip_callid }, choices)
    const read = await services.callDetails.run(toViewers(account_sid), (runStep) => runStep(readNow), signal)
    await countView(services.database, share)
    return read
  }
  const readFile = async (context: LinkContext) => {
    const share = await requireShare('report', context)
    await countDownload(share)
    return readReport(share, context.signal)
  }

  return {
    'GET /patchbay/shared-report': async (context) => {
      const share = await requireShare('report', context)
      const { report } = await readReport(share, context.signal)
      return ok({ expires_at: new Date(share.expires_at).toISOString(), report })
    },
    'GET /patchbay/shared-report/report.html': async (context) => ok(toHtmlFile(await readFile(context))),
    'GET /patchbay/shared-report/call.pcap': async (context) => ok(toPcapFile(await readFile(context))),
  }
}
