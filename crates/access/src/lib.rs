//! Who may do what: rights, roles, ACLs, decisions and their reasons. Plain data in, decisions out.
