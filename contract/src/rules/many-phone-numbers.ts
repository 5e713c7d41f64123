/** How many phone numbers go into one request. */

/** rows of a page */
export const mostListed = 5000
/** that are given an application */
export const mostRouted = 1000
/** rows of a file; a request also holds no more than 100 kB */
export const mostImported = 500
