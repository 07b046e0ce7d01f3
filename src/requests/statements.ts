/** What requests are signed as (protocol, section 3). The core refuses other contexts. */
export const REQUEST_CONTEXT = 'sx-request-v2'
