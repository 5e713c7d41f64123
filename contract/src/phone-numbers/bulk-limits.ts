/** Maximum numbers of phone numbers in one request. */

/** Rows per page. */
export const maxListed = 5000
/** Numbers that are assigned to an application together. */
export const maxRouted = 1000
/** Rows of an imported file. The request body is also limited to 100 kB. */
export const maxImported = 500
