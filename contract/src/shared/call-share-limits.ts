/** Limits of links to shared calls. */
export const callShareLimits = {
  /** Maximum lifetime of a link in hours. */
  hours: 720,
  /** Characters of a note. */
  note: 200,
  /** Maximum number of links per account that have not expired. */
  perAccount: 1000,
  /** Maximum number of links per call that have not expired. */
  perCall: 50,
} as const

/** Path of the console page that opens a link. The token follows as the fragment, which browsers do not send. */
export const sharedCallPath = '/shared-call'

/** Path of the console page that opens a link to a report. The token follows as the fragment. */
export const sharedReportPath = '/shared-report'

/** Paths of pages whose URL contains a secret. */
export const linkPaths: readonly string[] = [sharedCallPath, sharedReportPath]
