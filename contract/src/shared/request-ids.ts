/** The header in which every answer carries the id of its request, which the server's log names, too. */
export const requestIdHeader = 'x-request-id'
