import type { CallReport } from '@patchbay/contract/call-reports'
import type { NamedFinding } from '@patchbay/rules/sip/findings/findings'
import type { SipLadder } from '@patchbay/rules/sip/ladder'
import { parseSip } from '@patchbay/rules/sip/parser'
import { parseSdp } from '@patchbay/rules/sip/sdp'

/** Returns the ladder diagram of a report, with the masked messages. */
export const toReportLadder = ({ legs, lanes, arrows, is_cut }: CallReport): SipLadder => ({
  legs,
  lanes: lanes.map(({ host, name }) => ({ host, address: host, name: name ?? undefined })),
  arrows: arrows.map(({ since_first, since_before, early, raw, ...arrow }) => {
    const message = parseSip(raw)
    return {
      ...arrow,
      sinceFirst: since_first,
      sinceBefore: since_before,
      early: early ?? undefined,
      agent: undefined,
      raw,
      message,
      media: message === undefined ? [] : parseSdp(message),
    }
  }),
  isCut: is_cut,
  cutAt: is_cut ? 'end' : undefined,
})

/** Returns the findings of a report. */
export const toReportFindings = ({ findings }: CallReport): Omit<NamedFinding, 'rule'>[] =>
  findings.map(({ leg, ...finding }) => ({
    ...finding,
    ...(leg === null ? {} : { leg }),
  }))
