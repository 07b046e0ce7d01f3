// Everything that a page can use.
export * from 'sx-agent/simple'
