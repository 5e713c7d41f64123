import type { ReportChoices } from '@patchbay/contract/shared/call-report-choices'
import { buildUrl } from '../../../api/client.ts'
import { fetchBinary } from '../../../api/fetch-binary.ts'
import { saveFile } from '../../../ui/save-file.ts'

/** The kinds of files that a report has. */
export const reportFiles = { html: 'Report', pcap: 'pcap file' } as const
export type ReportFile = keyof typeof reportFiles

const saveResponse = async (response: Response, kind: ReportFile): Promise<void> => {
  const [, name] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  saveFile(name ?? `call-report.${kind}`, await response.blob())
}

/** Saves a file of the report about a call of the user's account. */
export const downloadReport = async (
  kind: ReportFile,
  { account_sid, ...query }: { account_sid: string; sip_callid: string } & ReportChoices,
): Promise<void> => {
  const path = `/patchbay/accounts/:account_sid/call-report.${kind}`
  await saveResponse(await fetchBinary(buildUrl('', path, { params: { account_sid }, query })), kind)
}

const sharedPaths = { html: '/patchbay/shared-report/report.html', pcap: '/patchbay/shared-report/call.pcap' } as const

/** Saves a file of the report of a link, whose token replaces that of a session. */
export const downloadSharedReport = async (kind: ReportFile, token: string): Promise<void> =>
  saveResponse(await fetchBinary(sharedPaths[kind], { headers: { authorization: `Bearer ${token}` } }), kind)
