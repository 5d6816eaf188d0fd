//! The classes of the engine that are not nodes. A script that extends one of them has no remote
//! methods, because the engine calls only methods of nodes.

/// Whether the engine has a class with this name that is not a node. C# spells some of them in
/// another case, and calls `Object` `GodotObject`.
pub(crate) fn is_class(name: &str) -> bool {
    CLASSES.iter().any(|(prefix, rests)| {
        let (start, rest) = (name.get(..prefix.len()), name.get(prefix.len()..));
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && rest.is_some_and(|rest| {
                rests.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(rest))
            })
    })
}

/// The classes of Godot 4.0 to 4.6 that are not nodes: the beginnings that many names share, each
/// with the rests of the names.
const CLASSES: &[(&str, &str)] = &[
    (
        "",
        "AESContext AStar2D AStar3D AStarGrid2D AnimatedTexture Animation AnimationLibrary \
         AnimationNode AnimationRootNode ArrayMesh ArrayOccluder3D AtlasTexture AudioBusLayout \
         AudioEffect AudioSample AudioSamplePlayback AudioServer AudioStream BaseMaterial3D \
         BitMap BoneMap BoxMesh BoxOccluder3D BoxShape3D ButtonGroup CallbackTweener \
         CanvasItemMaterial CanvasTexture CapsuleMesh CapsuleShape2D CapsuleShape3D \
         CharFXTransform CircleShape2D ClassDB CodeHighlighter ColorPalette Compositor \
         CompositorEffect ConcavePolygonShape2D ConcavePolygonShape3D ConfigFile \
         ConvexPolygonShape2D ConvexPolygonShape3D Crypto CryptoKey Cubemap CubemapArray Curve \
         Curve2D Curve3D CurveTexture CurveXYZTexture CylinderMesh CylinderShape3D DPITexture \
         DTLSServer DirAccess DisplayServer ENetConnection ENetMultiplayerPeer ENetPacketPeer \
         EncodedObjectAsID Engine EngineDebugger EngineProfiler Environment Expression \
         ExternalTexture FBXDocument FBXState FastNoiseLite FileAccess FogMaterial FoldableGroup \
         Font FontFile FontVariation FramebufferCacheRD GDExtension GDExtensionManager GDScript \
         GDScriptEditorTranslationParserPlugin GDScriptNativeClass GDScriptSyntaxHighlighter \
         Geometry2D Geometry3D GodotInstance GodotNavigationServer2D GodotObject \
         GodotPhysicsServer2D GodotPhysicsServer3D Gradient GradientTexture1D GradientTexture2D \
         HMACContext HTTPClient HashingContext HeightMapShape3D IP IPUnix Image ImageFormatLoader \
         ImageFormatLoaderExtension ImageTexture ImageTexture3D ImageTextureLayered ImmediateMesh \
         ImporterMesh Input InputEvent InputMap IntervalTweener JNISingleton JSON JSONRPC \
         JavaClass JavaClassWrapper JavaObject JavaScriptBridge JavaScriptObject \
         JointLimitation3D JointLimitationCone3D KinematicCollision2D KinematicCollision3D \
         LabelSettings LightmapGIData Lightmapper LightmapperRD Logger MainLoop Marshalls \
         Material Mesh MeshConvexDecompositionSettings MeshDataTool MeshLibrary MeshTexture \
         MethodTweener MissingResource MobileVRInterface MovieWriter MovieWriterMJPEG \
         MovieWriterOGV MovieWriterPNGWAV MultiMesh MultiplayerAPI MultiplayerAPIExtension \
         MultiplayerPeer MultiplayerPeerExtension Mutex NativeMenu NavigationMesh \
         NavigationMeshGenerator NavigationMeshSourceGeometryData2D \
         NavigationMeshSourceGeometryData3D NavigationPathQueryParameters2D \
         NavigationPathQueryParameters3D NavigationPathQueryResult2D NavigationPathQueryResult3D \
         NavigationPolygon NavigationServer2D NavigationServer2DManager NavigationServer3D \
         NavigationServer3DManager Node3DGizmo Noise NoiseTexture2D NoiseTexture3D ORMMaterial3D \
         OS Object Occluder3D OccluderPolygon2D OfflineMultiplayerPeer OggPacketSequence \
         OggPacketSequencePlayback OptimizedTranslation PCKPacker PackedDataContainer \
         PackedDataContainerRef PackedScene PacketPeer PacketPeerDTLS PacketPeerExtension \
         PacketPeerStream PacketPeerUDP PanoramaSkyMaterial ParticleProcessMaterial Performance \
         PhysicalSkyMaterial PlaneMesh PointMesh PolygonOccluder3D PolygonPathFinder \
         PortableCompressedTexture2D PrimitiveMesh PrismMesh ProceduralSkyMaterial \
         ProjectSettings PropertyTweener QuadMesh QuadOccluder3D RandomNumberGenerator \
         RectangleShape2D RefCounted RegEx RegExMatch Resource ResourceFormatImporterSaver \
         ResourceFormatLoader ResourceFormatSaver ResourceImporter ResourceLoader ResourceSaver \
         ResourceUID RibbonTrailMesh RichTextEffect Script ScriptBacktrace ScriptExtension \
         ScriptLanguage ScriptLanguageExtension SegmentShape2D Semaphore SeparationRayShape2D \
         SeparationRayShape3D Shader ShaderInclude ShaderIncludeDB ShaderMaterial Shape2D Shape3D \
         Shortcut SkeletonModification2D SkeletonModificationStack2D SkeletonProfile \
         SkeletonProfileHumanoid Skin SkinReference Sky SocketServer SphereMesh SphereOccluder3D \
         SphereShape3D SpriteFrames StandardMaterial3D StreamPeer StyleBox StyleBoxEmpty \
         StyleBoxFlat StyleBoxLine StyleBoxTexture SubtweenTweener SurfaceTool SyntaxHighlighter \
         SystemFont TCPServer TLSOptions TextLine TextMesh TextParagraph TextServer \
         TextServerAdvanced TextServerDummy TextServerExtension TextServerManager Texture Theme \
         ThemeContext ThemeDB Thread TileData TileMapPattern TileSet TileSetAtlasSource \
         TileSetScenesCollectionSource TileSetSource Time TorusMesh Translation TranslationDomain \
         TranslationServer TreeItem TriangleMesh TubeTrailMesh Tween Tweener UDPServer UDSServer \
         UPNP UPNPDevice UndoRedo UniformSetCacheRD VideoStream VideoStreamPlayback \
         VideoStreamTheora ViewportTexture VisualShader VisualShaderNode VoxelGIData WeakRef \
         WebRTCDataChannel WebRTCDataChannelExtension WebRTCMultiplayerPeer WebRTCPeerConnection \
         WebRTCPeerConnectionExtension WebSocketMultiplayerPeer WebSocketPeer WebXRInterface \
         WorkerThreadPool World2D World3D WorldBoundaryShape2D WorldBoundaryShape3D \
         X509Certificate XMLParser ZIPPacker ZIPReader",
    ),
    (
        "AnimationNode",
        "Add2 Add3 Animation Blend2 Blend3 BlendSpace1D BlendSpace2D BlendTree Extension OneShot \
         Output StateMachine StateMachinePlayback StateMachineTransition Sub2 Sync TimeScale \
         TimeSeek Transition",
    ),
    (
        "AudioEffect",
        "Amplify BandLimitFilter BandPassFilter Capture Chorus Compressor Delay Distortion EQ \
         EQ10 EQ21 EQ6 Filter HardLimiter HighPassFilter HighShelfFilter Instance Limiter \
         LowPassFilter LowShelfFilter NotchFilter Panner Phaser PitchShift Record Reverb \
         SpectrumAnalyzer SpectrumAnalyzerInstance StereoEnhance",
    ),
    (
        "AudioStream",
        "Generator GeneratorPlayback Interactive MP3 Microphone OggVorbis Playback \
         PlaybackInteractive PlaybackOggVorbis PlaybackPlaylist PlaybackPolyphonic \
         PlaybackResampled PlaybackSynchronized Playlist Polyphonic Randomizer Synchronized WAV",
    ),
    ("Camera", "Attributes AttributesPhysical AttributesPractical Feed Server Texture"),
    ("Compressed", "Cubemap CubemapArray Texture2D Texture2DArray Texture3D TextureLayered"),
    (
        "Editor",
        "ContextMenuPlugin DebuggerPlugin DebuggerSession ExportPlatform ExportPlatformAndroid \
         ExportPlatformAppleEmbedded ExportPlatformExtension ExportPlatformIOS \
         ExportPlatformLinuxBSD ExportPlatformMacOS ExportPlatformPC ExportPlatformVisionOS \
         ExportPlatformWeb ExportPlatformWindows ExportPlugin ExportPreset FeatureProfile \
         FileSystemDirectory FileSystemImportFormatSupportQuery ImportPlugin InspectorPlugin \
         Interface Node3DGizmo Node3DGizmoPlugin Paths ResourceConversionPlugin \
         ResourcePreviewGenerator ResourceTooltipPlugin SceneFormatImporter \
         SceneFormatImporterBlend SceneFormatImporterFBX2GLTF SceneFormatImporterGLTF \
         SceneFormatImporterUFBX ScenePostImport ScenePostImportPlugin Script Selection Settings \
         SyntaxHighlighter TranslationParserPlugin UndoRedoManager VCSInterface",
    ),
    (
        "GLTF",
        "Accessor Animation BufferView Camera Document DocumentExtension \
         DocumentExtensionConvertImporterMesh DocumentExtensionPhysics \
         DocumentExtensionTextureKTX DocumentExtensionTextureWebP Light Mesh Node \
         ObjectModelProperty PhysicsBody PhysicsShape Skeleton Skin SpecGloss State Texture \
         TextureSampler",
    ),
    (
        "InputEvent",
        "Action FromWindow Gesture JoypadButton JoypadMotion Key MIDI MagnifyGesture Mouse \
         MouseButton MouseMotion PanGesture ScreenDrag ScreenTouch Shortcut WithModifiers",
    ),
    (
        "OpenXR",
        "APIExtension Action ActionBindingModifier ActionMap ActionSet AnalogThresholdModifier \
         AnchorTracker AndroidThreadSettingsExtension BindingModifier DpadBindingModifier \
         ExtensionWrapper ExtensionWrapperExtension FrameSynthesisExtension FutureExtension \
         FutureResult HapticBase HapticVibration IPBinding IPBindingModifier InteractionProfile \
         InteractionProfileMetadata Interface MarkerTracker PlaneTracker RenderModelExtension \
         SpatialAnchorCapability SpatialCapabilityConfigurationAnchor \
         SpatialCapabilityConfigurationAprilTag SpatialCapabilityConfigurationAruco \
         SpatialCapabilityConfigurationBaseHeader SpatialCapabilityConfigurationMicroQrCode \
         SpatialCapabilityConfigurationPlaneTracking SpatialCapabilityConfigurationQrCode \
         SpatialComponentAnchorList SpatialComponentBounded2DList SpatialComponentBounded3DList \
         SpatialComponentData SpatialComponentMarkerList SpatialComponentMesh2DList \
         SpatialComponentMesh3DList SpatialComponentParentList SpatialComponentPersistenceList \
         SpatialComponentPlaneAlignmentList SpatialComponentPlaneSemanticLabelList \
         SpatialComponentPolygon2DList SpatialContextPersistenceConfig SpatialEntityExtension \
         SpatialEntityTracker SpatialMarkerTrackingCapability SpatialPlaneTrackingCapability \
         SpatialQueryResultData StructureBase",
    ),
    (
        "Physics",
        "DirectBodyState2D DirectBodyState2DExtension DirectBodyState3D \
         DirectBodyState3DExtension DirectSpaceState2D DirectSpaceState2DExtension \
         DirectSpaceState3D DirectSpaceState3DExtension Material PointQueryParameters2D \
         PointQueryParameters3D RayQueryParameters2D RayQueryParameters3D Server2D \
         Server2DExtension Server2DManager Server3D Server3DExtension Server3DManager \
         Server3DRenderingServerHandler ShapeQueryParameters2D ShapeQueryParameters3D \
         TestMotionParameters2D TestMotionParameters3D TestMotionResult2D TestMotionResult3D",
    ),
    (
        "Placeholder",
        "Cubemap CubemapArray Material Mesh Texture2D Texture2DArray Texture3D TextureLayered",
    ),
    (
        "RD",
        "AttachmentFormat FramebufferPass PipelineColorBlendState \
         PipelineColorBlendStateAttachment PipelineDepthStencilState PipelineMultisampleState \
         PipelineRasterizationState PipelineSpecializationConstant SamplerState ShaderFile \
         ShaderSPIRV ShaderSource TextureFormat TextureView Uniform VertexAttribute",
    ),
    (
        "Render",
        "Data DataExtension DataRD SceneBuffers SceneBuffersConfiguration SceneBuffersExtension \
         SceneBuffersRD SceneData SceneDataExtension SceneDataRD ingDevice ingServer",
    ),
    (
        "ResourceImporter",
        "BMFont BitMap CSVTranslation DynamicFont Image ImageFont LayeredTexture MP3 OBJ \
         OggVorbis SVG Scene ShaderFile Texture TextureAtlas WAV",
    ),
    (
        "Scene",
        "CacheInterface Multiplayer RPCInterface ReplicationConfig ReplicationInterface State \
         Tree TreeTimer",
    ),
    ("SkeletonModification2D", "CCDIK FABRIK Jiggle LookAt PhysicalBones StackHolder TwoBoneIK"),
    ("StreamPeer", "Buffer Extension GZIP Socket TCP TLS UDS"),
    ("Texture", "2D 2DArray 2DArrayRD 2DRD 3D 3DRD CubemapArrayRD CubemapRD Layered LayeredRD"),
    (
        "VisualShaderNode",
        "Billboard BooleanConstant BooleanParameter Clamp ColorConstant ColorFunc ColorOp \
         ColorParameter Comment Compare Constant Cubemap CubemapParameter CurveTexture \
         CurveXYZTexture Custom DerivativeFunc Determinant DistanceFade DotProduct Expression \
         FaceForward FloatConstant FloatFunc FloatOp FloatParameter Frame Fresnel \
         GlobalExpression GroupBase If Input IntConstant IntFunc IntOp IntParameter Is \
         LinearSceneDepth Mix MultiplyAdd OuterProduct Output Parameter ParameterRef \
         ParticleAccelerator ParticleBoxEmitter ParticleConeVelocity ParticleEmit ParticleEmitter \
         ParticleMeshEmitter ParticleMultiplyByAxisAngle ParticleOutput ParticleRandomness \
         ParticleRingEmitter ParticleSphereEmitter ProximityFade RandomRange Remap Reroute \
         ResizableBase RotationByAxis SDFRaymarch SDFToScreenUV Sample3D ScreenNormalWorldSpace \
         ScreenUVToSDF SmoothStep Step Switch Texture Texture2DArray Texture2DArrayParameter \
         Texture2DParameter Texture3D Texture3DParameter TextureParameter \
         TextureParameterTriplanar TextureSDF TextureSDFNormal TransformCompose TransformConstant \
         TransformDecompose TransformFunc TransformOp TransformParameter TransformVecMult \
         UIntConstant UIntFunc UIntOp UIntParameter UVFunc UVPolarCoord Varying VaryingGetter \
         VaryingSetter Vec2Constant Vec2Parameter Vec3Constant Vec3Parameter Vec4Constant \
         Vec4Parameter VectorBase VectorCompose VectorDecompose VectorDistance VectorFunc \
         VectorLen VectorOp VectorRefract WorldPositionFromDepth",
    ),
    (
        "XR",
        "BodyTracker ControllerTracker FaceTracker HandTracker Interface InterfaceExtension Pose \
         PositionalTracker Server Tracker VRS",
    ),
];
