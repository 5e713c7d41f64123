/** How many phone numbers go into one request. */

/** rows of a page */
export const maxListed = 5000
/** that are given an application */
export const maxRouted = 1000
/** rows of a file; a request also holds no more than 100 kB */
export const maxImported = 500
