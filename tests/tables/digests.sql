-- The clients whose script of a node has other methods than that of their server.
SELECT file,
       CASE direction WHEN 'to_server' THEN src_address ELSE dst_address END AS address,
       CASE direction WHEN 'to_server' THEN src_port ELSE dst_port END AS port,
       path
FROM messages
WHERE command IN ('simplify_path', 'confirm_path')
GROUP BY 1, 2, 3, 4
HAVING min(digest) <> max(digest) OR max(CASE WHEN NOT confirmed THEN 1 ELSE 0 END) = 1
