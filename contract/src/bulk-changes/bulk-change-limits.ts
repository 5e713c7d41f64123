/** Limits of bulk changes. */

/** Maximum number of records in a bulk change. */
export const maxBulkRecords = 10_000
/** Maximum number of records that are deleted one by one with their account or service provider. */
export const maxCascadeRecords = 100_000
/** Up to this number of records, the response comes when all are changed, unless that takes more than a few seconds. */
export const maxImmediateRecords = 100
/** Maximum number of records in a dry run. */
export const maxDryRunRecords = 500
/** Maximum number of unfinished bulk changes of an account, of a service provider, or of all admins. */
export const maxRunningBulkChanges = 5
/** Seconds for which a change of many records can be undone after its end. */
export const undoSeconds = 60
/** Maximum number of failed records in a response. */
export const maxListedBulkFailures = 200
