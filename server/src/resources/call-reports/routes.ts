import type { Actor } from '@patchbay/contract/api/access'
import type { callReportEndpoints } from '@patchbay/contract/call-reports'
import type { ReportChoices, ReportMasking } from '@patchbay/contract/shared/call-report-choices'
import type { Handlers } from '../../http/contract-router.ts'
import { ok } from '../../http/responses.ts'
import { fairnessKey } from '../../lib/fair-queue.ts'
import type { Services } from '../services.ts'
import { requireReport, toHtmlFile, toPcapFile } from '../shared/report-files.ts'

/** Files of reports for users, who send them to the support of a carrier. */

interface RequestedReport {
  actor: Actor
  signal: AbortSignal
  params: { account_sid: string }
  query: ReportMasking & Partial<ReportChoices> & { sip_callid: string }
}

type ReportKey = Extract<keyof typeof callReportEndpoints, `${string}call-report${string}`>

export const callReportRoutes = (services: Services): Handlers<ReportKey> => {
  const read = ({ actor, signal, params, query }: RequestedReport) => {
    const { sip_callid, numbers, addresses, legs = 'all' } = query
    const readNow = () => requireReport(services, { ...params, sip_callid }, { numbers, addresses, legs })
    return services.callDetails.run(fairnessKey(actor), (runStep) => runStep(readNow), signal)
  }
  return {
    'GET /patchbay/accounts/:account_sid/call-report.html': async (context) => ok(toHtmlFile(await read(context))),
    'GET /patchbay/accounts/:account_sid/call-report.pcap': async (context) => ok(toPcapFile(await read(context))),
  }
}
